"""Compute sums of products apart from what puts parts of channels side by side, such as `pixel_shuffle`.

IREE has sums written in the transposed order at once, and its vectors lie along what is innermost there: the
two or four places that a channel's parts make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.panels import LEAST_COLUMNS, registers
from myjit.mlir.tensors import VIEWS, computed_apart
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class SeparateInterleaved(FunctionPass):
    """Put a barrier before transposes whose last dimension is a short one that lay across."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of an IREE-side module in place."""
        if registers(function.parent) is None:
            return
        for op in [op for op in operations(function) if op.name == "linalg.transpose"]:
            if _interleaves(op) and _adds_up_products(op.operands[0]):
                with bindings(op).ir.InsertionPoint(op), op.location:
                    op.operands[0] = computed_apart(op.operands[0])


def _interleaves(transpose: Any) -> bool:
    """Tell whether elements that lay apart are put side by side, a few at a time."""
    kind = bindings(transpose).ir.RankedTensorType(transpose.results[0].type)
    last, order = kind.rank - 1, list(transpose.attributes["permutation"])
    moves = bool(order) and order[-1] != last
    return moves and 1 < kind.shape[last] < LEAST_COLUMNS


def _adds_up_products(value: Any) -> bool:
    """Tell whether sums of products make a tensor, with loops of one element each behind them."""
    waiting, seen = [value], set()
    while waiting:
        current = waiting.pop()
        op = current.owner
        name = getattr(op, "name", "")  # empty for a block, whose argument it is
        if current in seen or not name.startswith(("linalg.", *VIEWS)):
            continue
        seen.add(current)
        loops = Loops(op)
        if "conv_" in name or loops.multiplies() or loops.multiplies(widening=True):
            return True
        if "reduction" not in loops.iterators:
            waiting += list(op.operands)
    return False
