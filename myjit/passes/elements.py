"""Split the text of a pass list, in MLIR's grammar, into its elements.

`cse, tile{size=4}, func.func(canonicalize)` has three: a name, then options in braces or nested
passes in parentheses. Quotes and brackets nest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from myjit.errors import SpecError

_NAME = re.compile(r"[A-Za-z][\w.-]*")
_OPEN = {"(": ")", "{": "}", "[": "]"}


@dataclass(frozen=True)
class Element:
    """One element: its name, its options (None without braces), its nested passes (None without)."""

    name: str
    text: str
    options: str | None = None
    nested: str | None = None


def split_elements(text: str) -> list[Element]:
    """Split a pass list at its outermost commas.

    Raises:
        SpecError: unbalanced brackets or quotes, or an element that is no pass.
    """
    return [_element(part) for part in _split(text)]


def _split(text: str) -> list[str]:
    parts: list[str] = []
    closers: list[str] = []
    start = position = 0
    while position < len(text):
        char = text[position]
        if char in "\"'":
            position = _skip_quotes(text, position)
            continue
        if char in _OPEN:
            closers.append(_OPEN[char])
        elif char in _OPEN.values():
            if not closers or closers.pop() != char:
                raise SpecError(f"unbalanced {char!r} at column {position + 1} of {text!r}")
        elif char == "," and not closers:
            parts.append(text[start:position])
            start = position + 1
        position += 1
    if closers:
        raise SpecError(f"missing {closers[-1]!r} at the end of {text!r}")
    parts.append(text[start:])
    stripped = [part.strip() for part in parts]
    if stripped == [""]:
        return []
    if "" in stripped:
        raise SpecError(f"an empty element (two commas, or one at the end) in {text!r}")
    return stripped


def _skip_quotes(text: str, start: int) -> int:
    position = start + 1
    while position < len(text):
        if text[position] == "\\":
            position += 2
        elif text[position] == text[start]:
            return position + 1
        else:
            position += 1
    raise SpecError(f"a quote at column {start + 1} of {text!r} is not closed")


def _element(text: str) -> Element:
    name = _NAME.match(text)
    if name is None:
        raise SpecError(f"{text!r} does not start with a pass's name")
    rest = text[name.end() :].strip()
    if not rest:
        return Element(name.group(), text)
    inner = rest[1:-1]
    if rest[0] == "{" and rest[-1] == "}":
        return Element(name.group(), text, options=inner)
    if rest[0] == "(" and rest[-1] == ")":
        return Element(name.group(), text, nested=inner)
    raise SpecError(f"{text!r}: after the name {name.group()!r} come options in {{}} or passes in ()")
