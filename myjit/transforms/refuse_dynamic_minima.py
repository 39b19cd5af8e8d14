"""Refuse minima of integers over loops of unknown length: on CUDA they come out as -1, without a word.

Elements beyond the end are left out by a mask, and count as the greatest number without a sign; read with one
that is -1. 64 bits, other reductions and known sizes are right (IREE 3.13). Remove when
tests/transforms/test_refuse_dynamic_minima.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.diagnostics import refuse
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class RefuseDynamicMinima(Pass):
    """Fail where signed integers of at most 32 bits are reduced to the least, and a size is not known."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check a module.

        Raises:
            PassError: naming each such reduction, with its place.
        """
        refuse(
            (op, "minima of integers come out wrong here where sizes change")
            for op in operations(module.operation)
            if op.name == "linalg.generic" and _is_dynamic_minimum(Loops(op))
        )


def _is_dynamic_minimum(loops: Loops) -> bool:
    if "reduction" not in loops.iterators or -1 not in loops.extents():
        return False
    ir = bindings(loops.operation).ir
    body = [op.operation for op in loops.operation.regions[0].blocks[0]]
    minima = [op.results[0].type for op in body if op.name == "arith.minsi"]
    return any(isinstance(kind, ir.IntegerType) and kind.width <= 32 for kind in minima)
