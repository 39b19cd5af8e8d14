"""Cut tensors down to what windows read of them, where there is one window along a dimension.

IREE drops loops that run once, so that a window's place becomes the dimension's, and then refuses the loops
for a dimension that is longer than the window: the last convolutions of a ResNet over small images, poolings
with a rest (IREE 3.13; remove when tests/transforms/test_trim_windows.py passes without).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.tensors import dynamic_sizes
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class TrimWindows(FunctionPass):
    """Slice what operations of linalg read through windows, of which there is one along a dimension."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of an IREE-side module in place."""
        function.context.dialects["tensor"]  # loads it
        for op in [op for op in operations(function) if op.name.startswith("linalg.") and len(op.regions)]:
            extents = Loops(op).extents()
            if 1 in extents:
                for place, read in enumerate(Loops(op).maps()):
                    _trim(op, place, read, extents)


def _trim(op: Any, place: int, read: Any, extents: Sequence[int]) -> None:
    ir = bindings(op).ir
    value = op.operands[place]
    sizes = list(ir.RankedTensorType(value.type).shape) if read.results else []
    needed = [_needed(ir, along, size, extents) for along, size in zip(read.results, sizes, strict=True)]
    if needed != sizes:
        with ir.InsertionPoint(op), op.location:
            op.operands[place] = _first(ir, value, needed)


def _needed(ir: Any, along: Any, size: int, extents: Sequence[int]) -> int:
    """Return how many elements of a dimension are read; all where several windows lie along it, or none."""
    steps = _steps(ir, along)
    loops = [extents[loop] for loop in steps]
    if len(loops) < 2 or 1 not in loops or min(loops) < 1 or min(steps.values()) < 0:
        return size
    return 1 + sum(step * (extents[loop] - 1) for loop, step in steps.items())


def _steps(ir: Any, along: Any) -> dict[int, int]:
    """Return how far each loop steps along a dimension; nothing where they do more than add up."""
    if isinstance(along, ir.AffineDimExpr):
        return {along.position: 1}
    if isinstance(along, ir.AffineMulExpr) and isinstance(along.rhs, ir.AffineConstantExpr):
        return {loop: step * along.rhs.value for loop, step in _steps(ir, along.lhs).items()}
    if isinstance(along, ir.AffineAddExpr):
        sides = [_steps(ir, side) for side in (along.lhs, along.rhs)]
        return {**sides[0], **sides[1]} if all(sides) else {}
    return {}


def _first(ir: Any, value: Any, sizes: Sequence[int]) -> Any:
    """Build the beginning of a tensor; its sizes that change stay."""
    kind = ir.RankedTensorType(value.type)
    moving = dynamic_sizes(value)
    numbers = ir.DenseI64ArrayAttr.get
    attributes = {
        "static_offsets": numbers([0] * kind.rank),
        "static_sizes": numbers(list(sizes)),
        "static_strides": numbers([1] * kind.rank),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, len(moving), 0]),
    }
    result = ir.RankedTensorType.get(list(sizes), kind.element_type)
    return ir.Operation.create("tensor.extract_slice", [result], [value, *moving], attributes).results[0]
