"""The only way from myjit to the MLIR bindings of torch-mlir and IREE."""
