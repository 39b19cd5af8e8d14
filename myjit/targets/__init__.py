"""Targets, one per file: every fact about a target stands in its class."""
