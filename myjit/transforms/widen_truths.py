"""Reduce truth values as numbers of 32 bits: `(i < 0).any()`, and the check of every gather's indices.

IREE keeps them as bytes, of which its code for CPUs takes one after the other beside numbers of any other
width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.bodies import copied
from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.reductions import Reduction, init_of, with_one_result
from myjit.mlir.structured import empty, fill, looped
from myjit.mlir.tensors import constant, size
from myjit.passes.base import FunctionPass

_COMBINERS = ("arith.andi", "arith.ori")


@dataclass(frozen=True)
class WidenTruths(FunctionPass):
    """Rewrite reductions by `and` and `or` into ones of integers, and compare what they give with nothing."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of linalg operations in place."""
        for op in [op for op in operations(function) if op.name == "linalg.generic"]:
            reduction = Reduction.of(with_one_result(op))
            if reduction is not None and _is_logical(reduction):
                _widen(reduction)


def _is_logical(reduction: Reduction) -> bool:
    return reduction.combiner.name in _COMBINERS and str(reduction.start.type) == "i1"


def _widen(reduction: Reduction) -> None:
    op, init = reduction.operation, init_of(reduction.operation)
    ir = bindings(op).ir
    bit, word = (ir.IntegerType.get_signless(bits, op.context) for bits in (1, 32))
    *along, result = Loops(op).along()
    total = op.regions[0].blocks[0].arguments[len(op.operands) - 1]
    (truth,) = [operand for operand in reduction.combiner.operands if operand != total]

    def combine(ir: Any, *elements: Any) -> Any:
        value = copied(op, truth, elements)
        wide = ir.Operation.create("arith.extui", [word], [value]).results[0]
        return ir.Operation.create(reduction.combiner.name, [word], [wide, elements[-1]]).results[0]

    def narrow(ir: Any, element: Any, _: Any) -> Any:
        return ir.Operation.create("arith.trunci", [bit], [element]).results[0]

    with ir.InsertionPoint(op), op.location:
        sizes = [size(init, dim) for dim in range(len(result))]
        number = constant(ir, word, ir.IntegerAttr.get(word, int(bool(constant_of(reduction.start)))))
        start = fill(number, empty(init, sizes, word))
        whole = looped(Loops(op).iterators, list(op.operands)[:-1], start, [*along, result], combine)
        order = list(range(len(result)))
        found = looped(["parallel"] * len(result), [whole], empty(init, sizes), [order, order], narrow)
    op.results[0].replace_all_uses_with(found)
    op.erase()
