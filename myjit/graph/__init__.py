"""FX passes, one per file; the file's name is the pass's name. Each works in place on a GraphModule."""
