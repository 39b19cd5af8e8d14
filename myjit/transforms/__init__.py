"""Python-defined MLIR passes, one per file; the file's name is the pass's name."""
