"""Turn MLIR diagnostics into `Diagnostic` values that name FX nodes and user source lines.

The importer writes each FX node's name into the IR as a file location `fx:<name>`, so that every
message of every later stage can be traced back to the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from myjit.errors import Diagnostic, PassError

#: Prefix of the file location that carries an FX node's name.
NODE_PREFIX = "fx:"

_NODE = re.compile(r"\bfx:([A-Za-z0-9_.]+)")
_SOURCE = re.compile(r'"?([^\s"():]+\.py)"?:(\d+)')
_TEXT_PREFIX = re.compile(r"^\S+?:\d+:\d+:\s*(?:(?:error|warning|note|remark):\s*)?")
_ILLEGAL = re.compile(r"^failed to legalize operation '([^']+)'[^:]*:\s*(.*)", re.DOTALL)
_OPERATOR = re.compile(r'name = "([^"]+)"')


def from_location(severity: str, message: str, location: str) -> Diagnostic:
    """Build a diagnostic from a message and its location, printed by MLIR."""
    nodes = tuple(dict.fromkeys(_NODE.findall(location)))
    source = _SOURCE.search(location)
    where = f"{source.group(1)}:{source.group(2)}" if source else ""
    return Diagnostic(severity, _shorten(message.strip()), nodes, where, location)


def refuse(found: Iterable[tuple[Any, str]]) -> None:
    """Fail for operations, given with what is wrong about each; pass where there are none.

    Raises:
        PassError: naming each, with its place.
    """
    diagnostics = tuple(from_location("error", message, str(op.location)) for op, message in found)
    if diagnostics:
        raise PassError(diagnostics[0].message, diagnostics=diagnostics)


def _shorten(message: str) -> str:
    """Say `no lowering for X` instead of MLIR's sentence with the whole operation in it."""
    illegal = _ILLEGAL.match(message)
    if illegal is None:
        return message
    name, operation = illegal.groups()
    wrapped = _OPERATOR.search(operation) if name == "torch.operator" else None
    return f"no lowering for {wrapped.group(1) if wrapped else name}"


def from_text(severity: str, text: str) -> Diagnostic:
    """Build a diagnostic from a message whose location is printed in front of it."""
    first, _, rest = text.partition("\n")
    message = _TEXT_PREFIX.sub("", first)
    return from_location(severity, message[:500], f"{first} {rest}")


def attached(error: BaseException) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that an MLIRError carries: the pass manager takes them from handlers."""
    found = []
    for info in getattr(error, "error_diagnostics", ()):
        notes = " ".join(str(n.location) for n in info.notes)
        found.append(from_location("error", str(info.message), f"{info.location} {notes}"))
    return tuple(found)


@contextmanager
def collect(context: Any) -> Iterator[list[Diagnostic]]:
    """Collect a context's diagnostics instead of letting MLIR print them to standard error."""
    found: list[Diagnostic] = []

    def handle(diagnostic: Any) -> bool:
        severity = str(diagnostic.severity).rsplit(".", 1)[-1].lower()
        message, location = str(diagnostic.message), str(diagnostic.location)
        found.append(from_location(severity, message, location))
        return True

    handler = context.attach_diagnostic_handler(handle)
    try:
        yield found
    finally:
        handler.detach()
