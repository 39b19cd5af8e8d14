"""Compute apart what every iteration of a parallel loop would write again.

torch-mlir's adaptive average pooling counts each window's elements in the loops that add them up, the same
counts for every image and channel. IREE shares such loops out as if each iteration wrote its own: on CUDA
most of the averages were divided by what happened to be in memory (IREE 3.13; remove when the tests pass
without this).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.errors import PassError
from myjit.mlir.bodies import needed, yielded
from myjit.mlir.context import bindings
from myjit.mlir.diagnostics import from_location
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.structured import generic
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class SeparateCounts(FunctionPass):
    """Give a result that does not lie along a parallel loop, of operations with several, loops of its own."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of an IREE-side module in place.

        Raises:
            PassError: where such a result depends on more than its own place.
        """
        for op in [op for op in operations(function) if op.name == "linalg.generic" and len(op.results) > 1]:
            loops = Loops(op)
            parallel = {n for n, kind in enumerate(loops.iterators) if kind == "parallel"}
            for result, along in zip(op.results, loops.along()[-len(op.results) :], strict=True):
                if not parallel <= set(along):
                    _separate(op, result, along)


def _separate(op: Any, result: Any, along: Sequence[int]) -> None:
    ir = bindings(op).ir
    number = result.result_number
    value = yielded(op, number)
    steps = needed(op, value)
    taken = {value, *(operand for each in steps for operand in each.operands)}
    elements = set(op.regions[0].blocks[0].arguments)
    if taken & elements or not {_loop(each) for each in steps} <= {None, *along}:
        message = "every iteration of a parallel loop would write the same result"
        raise PassError(message, diagnostics=(from_location("error", message, str(op.location)),))

    def compute(_bindings: Any, _element: Any) -> Any:
        values: dict[Any, Any] = {}
        for each in steps:
            copy = each.clone()
            loop = _loop(each)
            if loop is not None:
                word = each.attributes["dim"].type
                copy.attributes["dim"] = ir.IntegerAttr.get(word, along.index(loop))
            for place, operand in enumerate(each.operands):
                copy.operands[place] = values.get(operand, operand)
            values.update(zip(each.results, copy.results, strict=True))
        return values.get(value, value)

    init = op.operands[len(op.operands) - len(op.results) + number]
    with ir.InsertionPoint(op), op.location:
        identity = ir.AffineMap.get_identity(len(along))
        result.replace_all_uses_with(generic([], init, [identity], 0, compute))


def _loop(op: Any) -> int | None:
    return op.attributes["dim"].value if op.name == "linalg.index" else None
