"""Refuse loops that a driver would end before their time.

Mesa's llvmpipe ends all loops of an invocation after 65535 steps together, without a word: of longer sums
the rest was missing. How long loops may be stands in the features of a device's target.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.diagnostics import refuse
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations, variants
from myjit.passes.base import Pass

#: What one invocation does alone, one element after the other.
_SEQUENTIAL = ("iree_linalg_ext.scan", "iree_linalg_ext.scatter")


@dataclass(frozen=True)
class RefuseLongLoops(Pass):
    """Fail where the operations of a kernel reduce more elements than the device's loops have steps."""

    IS_CHECK: ClassVar[bool] = True
    #: How a device's target says it, in its features.
    FEATURE: ClassVar[str] = "loops"

    def run(self, module: Any) -> None:
        """Check the kernels of a module. What depends on sizes is checked by those who call it.

        Raises:
            PassError: naming each such operation, with its place.
        """
        refuse(
            (op, f"loops of {steps} steps end too soon on this device")
            for variant in variants(module)
            for most in re.findall(rf"\b{self.FEATURE}:(\d+)", str(variant.attributes["target"]))
            for op, steps in _long(variant, int(most))
        )


def _long(variant: Any, most: int) -> Iterator[tuple[Any, int]]:
    """Yield the operations of kernels that take too many steps, with the number."""
    for function in operations(variant):
        if function.name == "func.func":
            steps = {op: _steps(op) for op in operations(function)}
            if sum(steps.values()) > most:
                longest = max(steps, key=lambda op: steps[op])
                yield longest, sum(steps.values())


def _steps(op: Any) -> int:
    """Return how many elements are reduced to one, as far as that is known."""
    if op.name in _SEQUENTIAL:
        extents = bindings(op).ir.ShapedType(op.operands[0].type).shape
        return math.prod(extent for extent in extents if extent > 0)
    if not op.name.startswith("linalg.") or not op.results:
        return 0
    loops = Loops(op)
    along = loops.along()
    if not along:
        return 0
    kept = {loop for loop in along[-1] if loop >= 0}
    return math.prod(e for loop, e in enumerate(loops.extents()) if loop not in kept and e > 0) - 1
