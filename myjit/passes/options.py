"""The options of a pass, or of any frozen dataclass of plain values, as text and back.

The grammar is MLIR's: `key=value key=a,b,c`. A string that would be misread is written in double
quotes with JSON's escapes; a missing value is `none`.
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from typing import Any, TypeVar

from myjit.errors import SpecError
from myjit.registry import did_you_mean

T = TypeVar("T")

_PLAIN = re.compile(r"[^\s,{}()\[\]\"'=\\]+")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_RESERVED = {"none", "true", "false"}


def write_options(value: Any) -> str:
    """Return the fields of a dataclass value as `key=value key=value`, in order."""
    return " ".join(
        f"{field.name.replace('_', '-')}={write_value(getattr(value, field.name))}"
        for field in dataclasses.fields(value)
    )


def write_value(value: Any) -> str:
    """Return one option value as text that `read_options` reads back to an equal value.

    Raises:
        SpecError: the value has no text form.
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value not in _RESERVED
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple) and not any(isinstance(v, (tuple, type(None))) for v in value):
        return ",".join(write_value(v) for v in value)
    raise SpecError(
        f"{value!r} cannot be an option: options are numbers, booleans, strings, None and tuples of these"
    )


def read_options(kind: type[T], text: str, owner: str) -> T:
    """Build a `kind` from `key=value key=value`; `owner` names it in messages.

    Raises:
        SpecError: an unknown, repeated or missing option, or a value of the wrong type.
    """
    wanted = {f.name: f for f in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else {}
    hints = _hints(kind)
    values: dict[str, Any] = {}
    for key, raw in _pairs(text, owner):
        name = key.replace("-", "_")
        if name not in wanted:
            known = [n.replace("_", "-") for n in wanted]
            listed = f" Known: {', '.join(known)}" if known else " It takes none."
            raise SpecError(f"{owner} has no option {key!r}.{did_you_mean(key, known)}{listed}")
        if name in values:
            raise SpecError(f"{owner}: option {key!r} is given twice")
        try:
            values[name] = _convert(raw, hints.get(name, str))
        except ValueError as error:
            raise SpecError(f"{owner}: option {key}={raw} is not valid: {error}") from error
    missing = [
        n.replace("_", "-")
        for n, f in wanted.items()
        if n not in values and f.default is f.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise SpecError(f"{owner} needs the option {', '.join(map(repr, missing))}")
    return kind(**values)


def _pairs(text: str, owner: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        key = re.compile(r"([A-Za-z][\w-]*)=").match(text, position)
        if key is None:
            raise SpecError(f"{owner}: expected key=value at {text[position:][:40]!r}")
        end = _value_end(text, key.end())
        pairs.append((key.group(1), text[key.end() : end]))
        position = end
    return pairs


def _value_end(text: str, position: int) -> int:
    """Return where the value that starts at `position` ends: at the first space outside of quotes."""
    while position < len(text) and not text[position].isspace():
        quoted = _QUOTED.match(text, position)
        position = quoted.end() if quoted else position + 1
    return position


def _hints(kind: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind)
    except NameError:  # a class inside a function, whose annotations name local types
        return {
            f.name: type(f.default) if f.default is not dataclasses.MISSING else str
            for f in dataclasses.fields(kind)
        }


def _convert(raw: str, hint: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(raw, arguments)
    if origin is tuple or hint is tuple:
        element = arguments[0] if arguments else str
        return tuple(_convert(part, element) for part in _split_values(raw))
    if origin is typing.Literal:
        for allowed in arguments:
            if write_value(allowed) == raw:
                return allowed
        raise ValueError(f"one of {', '.join(map(str, arguments))}")
    if hint is bool:
        if raw not in ("true", "false"):
            raise ValueError("true or false")
        return raw == "true"
    if hint in (int, float):
        return hint(raw)
    if hint is str:
        return json.loads(raw) if raw.startswith('"') else raw
    raise ValueError(f"the pass declares it as {hint}, which has no text form")


def _convert_union(raw: str, arguments: tuple[Any, ...]) -> Any:
    if type(None) in arguments and raw == "none":
        return None
    for one in arguments:
        try:
            if one is not type(None):
                return _convert(raw, one)
        except ValueError:
            continue
    raise ValueError(f"one of the types {', '.join(getattr(a, '__name__', str(a)) for a in arguments)}")


def _split_values(raw: str) -> list[str]:
    if not raw:
        return []
    parts, start, position = [], 0, 0
    while position < len(raw):
        quoted = _QUOTED.match(raw, position)
        if quoted:
            position = quoted.end()
        elif raw[position] == ",":
            parts.append(raw[start:position])
            position = start = position + 1
        else:
            position += 1
    return [*parts, raw[start:]]
