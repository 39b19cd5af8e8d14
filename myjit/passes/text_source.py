"""Passes whose work is written in a text, given directly or as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from myjit.errors import SpecError


def read_source(item: Any) -> None:
    """Replace the option `file` of a frozen pass by its text.

    So the pass is the text: its spec, its fingerprint and its copy in another process do not depend on
    a file that may change.

    Raises:
        SpecError: the file cannot be read, or both `text` and `file` are given.
    """
    if not item.file:
        return
    if item.text:
        raise SpecError(f"pass {item.name!r} takes a text or a file, not both")
    try:
        object.__setattr__(item, "text", Path(item.file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"pass {item.name!r} cannot read its file: {error}") from error
    object.__setattr__(item, "file", "")
