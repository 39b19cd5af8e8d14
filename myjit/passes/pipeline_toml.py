"""Read and write pipelines as TOML."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from myjit.errors import MyjitError, SpecError
from myjit.passes.contract import Contract
from myjit.passes.pipeline import Pipeline, Stage
from myjit.passes.spec import parse_passes
from myjit.registry import did_you_mean

if sys.version_info >= (3, 11):
    import tomllib
else:  # goes when Python 3.10 does
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

_KEYS = ("name", "stage", "flags", "safer-flags")
_STAGE_KEYS = ("name", "level", "passes", "ensures")
_CONTRACT_KEYS = ("dialects", "illegal-ops")


def to_toml(pipeline: Pipeline) -> str:
    """Write a pipeline as TOML; `from_toml` reads an equal one back."""
    lines = [f"name = {_string(pipeline.name)}", f"flags = {_array(pipeline.flags)}"]
    ladder = ", ".join(_inline(flags) for flags in pipeline.safer_flags)
    lines += [f"safer-flags = [{ladder}]"]
    for stage in pipeline.stages:
        lines += ["", "[[stage]]", f"name = {_string(stage.name)}", f"level = {_string(stage.level)}"]
        lines += [f"passes = {_array(p.spec() for p in stage.passes)}"]
        if stage.ensures is not None:
            lines += [
                "[stage.ensures]",
                f"dialects = {_inline(stage.ensures.dialects)}",
                f"illegal-ops = {_inline(stage.ensures.illegal_ops)}",
            ]
    return "\n".join(lines) + "\n"


def from_toml(text: str, origin: str = "pipeline.toml") -> Pipeline:
    """Read a pipeline; `origin` names the file in messages.

    Raises:
        SpecError: naming the line and what is wrong with it.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{origin}: {error}") from error
    reader = _Reader(text, origin)
    reader.require(table, _KEYS, ("name",), 1)
    stages = table.get("stage", [])
    if not isinstance(stages, list):
        raise SpecError(f"{origin}: stages are written [[stage]], with two brackets")
    built = tuple(reader.stage(stage, index) for index, stage in enumerate(stages))
    flags = reader.strings(table, "flags", 1)
    ladder = table.get("safer-flags", [])
    if not isinstance(ladder, list) or not all(_is_strings(rung) for rung in ladder):
        raise SpecError(f"{origin}:{reader.line_of('safer-flags', 1)}: safer-flags is a list of lists")
    try:
        return Pipeline(_name(table, origin), built, flags, tuple(tuple(rung) for rung in ladder))
    except MyjitError as error:
        raise SpecError(f"{origin}: {error}") from error


class _Reader:
    """Reads tables, and finds the lines that messages name: TOML's parser does not keep them."""

    def __init__(self, text: str, origin: str) -> None:
        self._lines = text.splitlines()
        self._origin = origin
        self._stages = [
            n for n, line in enumerate(self._lines, 1) if re.match(r"\s*\[\[\s*stage\s*\]\]", line)
        ]

    def line_of(self, text: str, start: int) -> int:
        """Return the first line from `start` on that holds `text` (`start` itself when none does)."""
        return next((n for n in range(start, len(self._lines) + 1) if text in self._lines[n - 1]), start)

    def require(self, table: Mapping[str, Any], known: Iterable[str], needed: Iterable[str], at: int) -> None:
        """Raise for keys that are unknown or missing."""
        known = tuple(known)
        for key in table:
            if key not in known:
                where = f"{self._origin}:{self.line_of(key, at)}"
                listed = f"Known: {', '.join(known)}"
                raise SpecError(f"{where}: unknown key {key!r}.{did_you_mean(key, known)} {listed}")
        for key in needed:
            if key not in table:
                raise SpecError(f"{self._origin}:{at}: the key {key!r} is missing")

    def strings(self, table: Mapping[str, Any], key: str, at: int) -> tuple[str, ...]:
        """Return a list of strings."""
        value = table.get(key, [])
        if not _is_strings(value):
            raise SpecError(f"{self._origin}:{self.line_of(key, at)}: {key} is a list of strings")
        return tuple(value)

    def stage(self, table: Any, index: int) -> Stage:
        """Build one stage; a bad pass is reported at its own line."""
        at = self._stages[index] if index < len(self._stages) else 1
        self.require(table, _STAGE_KEYS, ("name", "level"), at)
        try:
            empty = Stage(_name(table, self._origin), str(table["level"]), ())
        except MyjitError as error:
            raise SpecError(f"{self._origin}:{at}: {error}") from error
        passes: list[Any] = []
        for text in self.strings(table, "passes", at):
            try:
                passes += parse_passes(text, empty.level)
            except MyjitError as error:
                line = self.line_of(json.dumps(text, ensure_ascii=False)[1:-1], at)
                raise SpecError(f"{self._origin}:{line}: stage {empty.name!r}: {error}") from error
        return Stage(empty.name, empty.level, tuple(passes), self._contract(table, at))

    def pass_line(self, stage_index: int, text: str) -> int:
        """Return the line of a pass's text in a stage."""
        at = self._stages[stage_index] if stage_index < len(self._stages) else 1
        return self.line_of(json.dumps(text, ensure_ascii=False)[1:-1], at)

    def _contract(self, table: Mapping[str, Any], at: int) -> Contract | None:
        if "ensures" not in table:
            return None
        ensures = table["ensures"]
        if not isinstance(ensures, dict):
            raise SpecError(f"{self._origin}:{self.line_of('ensures', at)}: ensures is a table")
        self.require(ensures, _CONTRACT_KEYS, ("dialects",), self.line_of("ensures", at))
        return Contract(self.strings(ensures, "dialects", at), self.strings(ensures, "illegal-ops", at))


def locate(text: str, stage_index: int, pass_text: str) -> int:
    """Return the line of a pass in a pipeline's TOML text."""
    return _Reader(text, "").pass_line(stage_index, pass_text)


def _name(table: Mapping[str, Any], origin: str) -> str:
    if not isinstance(table["name"], str):
        raise SpecError(f"{origin}: name is a string, not {table['name']!r}")
    return table["name"]


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(texts: Iterable[str]) -> str:
    return f"[{', '.join(_string(t) for t in texts)}]"


def _array(texts: Iterable[str]) -> str:
    items = [_string(t) for t in texts]
    return f"[\n{''.join(f'    {item},{chr(10)}' for item in items)}]" if items else "[]"
