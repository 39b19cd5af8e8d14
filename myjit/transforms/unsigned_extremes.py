"""Find extremes of signed integers as those of unsigned ones, with the sign's bit flipped, on GPUs.

Where threads of a subgroup combine what they found, and where a row ends within a vector, IREE starts from
the extremes of 64 bits, cut off: 0 in place of the least number of 32 bits or fewer, -1 in place of the
largest. `x.amin(-1)` of positive int32 was -1, on CUDA of long rows, on Vulkan of 40 numbers (IREE 3.13;
remove when tests/transforms/test_unsigned_extremes.py passes without). For unsigned numbers these are what
they have to be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.reductions import Reduction, reduce_as, reductions
from myjit.mlir.tensors import constant
from myjit.passes.base import FunctionPass

_UNSIGNED = {"arith.maxsi": "arith.maxui", "arith.minsi": "arith.minui"}


@dataclass(frozen=True)
class UnsignedExtremes(FunctionPass):
    """Rewrite reductions of signed integers of up to 32 bits to their largest or least one."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of linalg operations in place."""
        for reduction in reductions(function):
            if reduction.combiner.name in _UNSIGNED:
                kind = bindings(function).ir.IntegerType(reduction.start.type)
                if kind.width <= 32:
                    _rewrite(reduction, kind)


def _rewrite(reduction: Reduction, kind: Any) -> None:
    sign = -(1 << (kind.width - 1))

    def flipped(ir: Any, value: Any) -> Any:
        bit = constant(ir, kind, ir.IntegerAttr.get(kind, sign))
        return ir.Operation.create("arith.xori", [kind], [value, bit]).results[0]

    combiner, start = _UNSIGNED[reduction.combiner.name], constant_of(reduction.start) ^ sign
    reduce_as(reduction, combiner, kind, start, to=flipped, back=flipped)
