"""Compare diagnostics with the `expected-error {{…}}` comments of an input, as mlir-opt does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from myjit.errors import Diagnostic, DiagnosticsMismatchError

_EXPECTED = re.compile(
    r"expected-(error|warning|remark|note)(-re)?\s*(@(?:[+-]\d+|above|below|unknown))?\s*\{\{(.*?)\}\}"
)
_LINE = re.compile(r'"-":(\d+):\d+')


@dataclass(frozen=True)
class _Expected:
    severity: str
    line: int | None  # None: anywhere
    text: str
    is_pattern: bool

    def meets(self, diagnostic: Diagnostic) -> bool:
        line = _line_of(diagnostic)
        pattern = self.text if self.is_pattern else re.escape(self.text)
        same_place = self.line is None or self.line == line or line is None
        return (
            self.severity == diagnostic.severity
            and same_place
            and re.search(pattern, diagnostic.message) is not None
        )

    def __str__(self) -> str:
        where = "anywhere" if self.line is None else f"at line {self.line}"
        return f"{self.severity} {where} {'matching' if self.is_pattern else 'with'} {self.text!r}"


def check_expected(source: str, found: Sequence[Diagnostic], *, chunk_number: int) -> None:
    """Raise unless the diagnostics are those that the comments expect, each once.

    Raises:
        DiagnosticsMismatchError: listing what is missing and what was not expected.
    """
    left = list(found)
    missing: list[_Expected] = []
    for expected in _read(source):
        match = next((d for d in left if expected.meets(d)), None)
        if match is None:
            missing.append(expected)
        else:
            left.remove(match)
    left = [d for d in left if d.severity != "note"]
    if missing or left:
        lines = [f"in part {chunk_number + 1}:"] if chunk_number else []
        lines += [f"  missing: {e}" for e in missing]
        lines += [f"  not expected: {d.severity} at line {_line_of(d) or '?'}: {d.message}" for d in left]
        raise DiagnosticsMismatchError("the diagnostics are not the expected ones\n" + "\n".join(lines))


def _read(source: str) -> Iterator[_Expected]:
    for number, line in enumerate(source.splitlines(), 1):
        for severity, is_pattern, place, text in _EXPECTED.findall(line):
            if place == "@unknown":
                yield _Expected(severity, None, text, bool(is_pattern))
            else:
                offset = {"": 0, "@above": -1, "@below": 1}.get(place)
                at = number + (int(place[1:]) if offset is None else offset)
                yield _Expected(severity, at, text, bool(is_pattern))


def _line_of(diagnostic: Diagnostic) -> int | None:
    match = _LINE.search(diagnostic.location)
    return int(match.group(1)) if match else None
