"""A compiled program as what it does on a device: kernels to launch in order, and the memory they need.

IREE's modules are host programs that record such commands and wait for them. Where the host's part is a
straight line, the commands alone are enough, and they can go to a stream that others use as well.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

_MAGIC = b"myjit launches 1\n"
_CALL = "myjit_call_"
_SIZE = struct.Struct("<Q")


@dataclass(frozen=True)
class Place:
    """A place in memory: bytes from the start of a slot. Slots are the arguments, then the scratch."""

    slot: int
    offset: int


@dataclass(frozen=True)
class Launch:
    """One kernel of one executable, on a grid; its pointers come first, then its constants (32 bits)."""

    executable: int
    kernel: str
    grid: tuple[int, int, int]
    pointers: tuple[Place, ...]
    constants: tuple[int, ...] = ()


@dataclass(frozen=True)
class Call:
    """One call of a library of the device's maker: what, its numbers, and the pointers it takes."""

    operation: str
    numbers: tuple[tuple[str, int], ...]
    pointers: tuple[Place, ...]


@dataclass(frozen=True)
class Copy:
    """Copy bytes within the device's memory."""

    source: Place
    target: Place
    length: int


@dataclass(frozen=True)
class Fill:
    """Repeat a pattern of `width` bytes up to `length` bytes."""

    target: Place
    length: int
    pattern: int
    width: int


Command = Launch | Call | Copy | Fill


@dataclass(frozen=True)
class Launches:
    """Commands in order. `arguments` counts the slots that the caller gives; `scratch` holds the bytes of
    each further one. `executables` are as the code generator wrote them."""

    arguments: int
    scratch: tuple[int, ...]
    commands: tuple[Command, ...]
    executables: tuple[bytes, ...]

    def to_bytes(self) -> bytes:
        """Write it down; `read` gives it back."""
        kinds = [[type(c).__name__, asdict(c)] for c in self.commands]
        sizes = [len(e) for e in self.executables]
        head = {"arguments": self.arguments, "scratch": self.scratch, "commands": kinds, "sizes": sizes}
        text = json.dumps(head).encode()
        return b"".join((_MAGIC, _SIZE.pack(len(text)), text, *self.executables))


def call_name(operation: str, numbers: Mapping[str, int]) -> str:
    """Return the name of the kernel that stands for a library's call until the launches are read."""
    return _CALL + "__".join((operation, *(f"{name}_{value}" for name, value in numbers.items())))


def bits_of(number: float) -> int:
    """Write a float as a whole number, for a call's name."""
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def float_of(bits: int) -> float:
    """Read what `bits_of` wrote."""
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def is_call(name: str) -> bool:
    """Tell whether a name stands for a library's call."""
    return name.startswith(_CALL)


def parse_call(kernel: str) -> tuple[str, tuple[tuple[str, int], ...]] | None:
    """Return the operation and the numbers that a kernel's name stands for; None for a real kernel."""
    if not is_call(kernel):
        return None
    operation, *parts = kernel.removeprefix(_CALL).split("__")
    matches = (re.fullmatch(r"(\w+?)_(\d+)", part) for part in parts)
    return operation, tuple((m[1], int(m[2])) for m in matches if m)


def is_launches(data: bytes) -> bool:
    """Tell whether `data` was written by `Launches.to_bytes`."""
    return data[: len(_MAGIC)] == _MAGIC


def read(data: bytes) -> Launches:
    """Read what `Launches.to_bytes` wrote.

    Raises:
        ValueError: it is something else.
    """
    if not is_launches(data):
        raise ValueError("no launches")
    try:
        (length,) = _SIZE.unpack_from(data, len(_MAGIC))
        start = len(_MAGIC) + _SIZE.size
        head = json.loads(data[start : start + length])
        at, executables = start + length, []
        for size in head["sizes"]:
            executables.append(data[at : at + size])
            at += size
        commands = tuple(_command(kind, fields) for kind, fields in head["commands"])
        return Launches(head["arguments"], tuple(head["scratch"]), commands, tuple(executables))
    except (KeyError, TypeError, ValueError, struct.error) as error:
        raise ValueError(f"no launches: {type(error).__name__}: {error}") from error


def _command(kind: str, fields: dict[str, Any]) -> Command:
    values = dict(fields)
    for name in ("source", "target"):
        if name in values:
            values[name] = Place(**values[name])
    if "pointers" in values:
        values["pointers"] = tuple(Place(**p) for p in values["pointers"])
    if kind == "Call":
        values["numbers"] = tuple((name, number) for name, number in values["numbers"])
    if kind == "Launch":
        values["grid"] = tuple(values["grid"])
        values["constants"] = tuple(values["constants"])
    return {"Launch": Launch, "Call": Call, "Copy": Copy, "Fill": Fill}[kind](**values)
