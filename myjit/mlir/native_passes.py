"""Which passes the two MLIRs register, and whether a text of theirs can be read."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from myjit.mlir.context import bindings, new_context, new_iree_context

#: The package of each side, and its opt tool inside of the package.
_TOOLS = {"torch-mlir": ("torch_mlir", "torch-mlir-opt"), "iree": ("iree.compiler", "iree-opt")}

_ERROR = re.compile(r"error: (.*)")
_UNKNOWN = re.compile(r"'([^']+)' does not refer to a registered pass")
_LISTED = re.compile(r"^ {2,4}--([a-z][\w-]*)\s+- ", re.MULTILINE)


def side_of(level: str) -> str:
    """Return whose MLIR a level runs in: `torch-mlir` or `iree`."""
    return "iree" if level not in ("fx", "torch", "linalg") else "torch-mlir"


@cache
def native_names(side: str) -> tuple[str, ...]:
    """List what a side's opt tool registers, options of passes included; empty without the tool.

    The bindings have no call that lists passes, so the tool beside them is asked (0.1 s).
    """
    package, tool = _TOOLS[side]
    found = importlib.util.find_spec(package)
    places = list(found.submodule_search_locations or []) if found is not None else []
    for place in places:
        path = Path(place) / "_mlir_libs" / tool
        if path.is_file():
            done = subprocess.run(
                [path, "--list-passes"], capture_output=True, text=True, timeout=20, check=False
            )
            return tuple(sorted(set(_LISTED.findall(done.stdout + done.stderr))))
    return ()


def native_refusal(text: str, side: str) -> tuple[str, str]:
    """Say why a side cannot read `text`, a pass in MLIR's grammar: the reason, and the unknown name.

    Both are empty when it can be read; the name is empty when something else is wrong.
    """
    context = _context(side)
    try:
        with context:
            bindings(context).passmanager.PassManager.parse(f"builtin.module({text})")
    except ValueError as error:
        message = str(error).strip()
        found = _ERROR.search(message)
        reason = found.group(1) if found else " ".join(message.split())
        unknown = _UNKNOWN.search(reason)
        return reason, unknown.group(1) if unknown else ""
    return "", ""


@cache
def _context(side: str) -> Any:
    return new_iree_context() if side == "iree" else new_context()
