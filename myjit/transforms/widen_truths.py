"""Reduce truth values as numbers of 32 bits: `(i < 0).any()`, and the check of every gather's indices.

IREE keeps them as bytes, of which its code for CPUs takes one after the other beside numbers of any other
width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.reductions import Reduction, reduce_as, reductions
from myjit.passes.base import FunctionPass

_COMBINERS = ("arith.andi", "arith.ori")


@dataclass(frozen=True)
class WidenTruths(FunctionPass):
    """Rewrite reductions by `and` and `or` into ones of integers, and compare what they give with nothing."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of linalg operations in place."""
        for reduction in reductions(function):
            if reduction.combiner.name in _COMBINERS and str(reduction.start.type) == "i1":
                _widen(reduction)


def _widen(reduction: Reduction) -> None:
    ir = bindings(reduction.operation).ir
    bit, word = (ir.IntegerType.get_signless(bits, reduction.operation.context) for bits in (1, 32))
    reduce_as(
        reduction,
        reduction.combiner.name,
        word,
        int(bool(constant_of(reduction.start))),
        to=lambda ir, truth: ir.Operation.create("arith.extui", [word], [truth]).results[0],
        back=lambda ir, number: ir.Operation.create("arith.trunci", [bit], [number]).results[0],
    )
