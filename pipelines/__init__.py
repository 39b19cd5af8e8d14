"""Declared pipelines, one per file; the file's name is the pipeline's name."""

from __future__ import annotations

from myjit.passes.pipeline import PIPELINES, Pipeline


def get(name: str) -> Pipeline:
    """Return the pipeline called `name`.

    Raises:
        RegistryError: there is none; the message gives the nearest name.
    """
    return PIPELINES.get(name)


def names() -> tuple[str, ...]:
    """List the pipelines, those of installed packages included."""
    return PIPELINES.names()
