"""Python-defined dialects, one per file; the file's name is the dialect's namespace."""
