"""Declared pipelines, one per file; the file's name is the pipeline's name."""
