"""Refuse extremes of integers over loops of unknown length: on CUDA they are those of other numbers as well.

Elements beyond the end are left out by a mask, and count as the least and the greatest number without a sign:
a minimum came out as -1, a maximum of negative numbers as 0, without a word. Of 64 bits, and of known sizes,
they are right; so are places of the largest truth value (IREE 3.13). Remove when
tests/transforms/test_refuse_dynamic_extremes.py passes without this.
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
class RefuseDynamicExtremes(Pass):
    """Fail where signed integers of at most 32 bits are reduced to one of them, and a size is not known."""

    IS_CHECK: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Check a module.

        Raises:
            PassError: naming each such reduction, with its place.
        """
        refuse(
            (op, "extremes of integers come out wrong here where sizes change")
            for op in operations(module.operation)
            if op.name == "linalg.generic" and _is_dynamic_extreme(Loops(op))
        )


def _is_dynamic_extreme(loops: Loops) -> bool:
    is_plain = len(loops.operation.results) == 1  # of two, one is the place of a truth value
    if not is_plain or "reduction" not in loops.iterators or -1 not in loops.extents():
        return False
    ir = bindings(loops.operation).ir
    body = [op.operation for op in loops.operation.regions[0].blocks[0]]
    extremes = [op.results[0].type for op in body if op.name in ("arith.minsi", "arith.maxsi")]
    return any(isinstance(kind, ir.IntegerType) and kind.width <= 32 for kind in extremes)
