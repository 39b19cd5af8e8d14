"""Decompositions that torch-mlir needs, one op (or family) per file, each with a table `DECOMPOSITIONS`."""
