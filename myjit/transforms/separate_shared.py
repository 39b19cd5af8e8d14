"""Compute a tensor apart from loops that read its diagonals, where others read the tensor too.

IREE computes such a tensor in the reader's loops, as one more result, and writes only what these read of it:
of `v = x * x; return v, x - v.diagonal()` the diagonals of `v` were computed, and the rest was what had been
in memory (IREE 3.13, on every target, without a word). Remove when tests/transforms/test_separate_shared.py
passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.tensors import VIEWS, computed_apart
from myjit.passes.base import Pass, functions


@dataclass(frozen=True)
class SeparateShared(Pass):
    """Put a barrier before loops that read a tensor along several dimensions at once, where others do too."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for function in functions(module):
            for op in [op for op in operations(function) if op.name == "linalg.generic"]:
                _separate(op)


def _separate(op: Any) -> None:
    read = Loops(op).maps()[: len(op.operands) - len(op.results)]
    for place, map_ in enumerate(read):
        value = op.operands[place]
        if not map_.is_projected_permutation and _is_shared(value):
            with bindings(op).ir.InsertionPoint(op), op.location:
                op.operands[place] = computed_apart(value)


def _is_shared(value: Any) -> bool:
    """Tell whether loops compute a tensor, or what it is computed from at once, that has several readers."""
    waiting, seen = [value], set()
    while waiting:
        current = waiting.pop()
        name = getattr(current.owner, "name", "")  # empty for a block, whose argument it is
        if current in seen or not name.startswith(("linalg.", *VIEWS)) or name == "linalg.fill":
            continue
        seen.add(current)
        if len(list(current.uses)) > 1:
            return True
        waiting += list(current.owner.operands)
    return False
