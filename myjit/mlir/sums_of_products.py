"""Sums of products of two tensors' elements, matrix products and convolutions, seen as rows by columns.

A matrix product has one loop each of rows, columns and depth. A convolution has several of rows (the places
of its result) and of depth (channels, and the places of a window), through which it goes as through one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops

#: From loops to how many elements apart in memory two steps of each are.
Strides = dict[int, int]


@dataclass(frozen=True)
class Sums:
    """An operation that adds up products in f32, and the loops it has for that.

    `element` is the type of both sides. `left` and `right` are the operands' numbers: the left side lies
    along the rows, the right one along `column`, and both along `depth`, whose loops stand in the order in
    which the right side lies along them. `result` holds the loop along each dimension of the result, `strides`
    how both sides lie.
    """

    operation: Any
    element: str
    left: int
    right: int
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    column: int
    depth: tuple[int, ...]
    extents: tuple[int, ...]
    result: tuple[int, ...]
    strides: tuple[Strides, Strides]

    def count(self, loops: Sequence[int]) -> int:
        """Return how often loops run, all together."""
        return math.prod(self.extents[loop] for loop in loops)

    @property
    def columns(self) -> int:
        return self.extents[self.column]

    @property
    def is_turned(self) -> bool:
        """Whether the right side lies along the depth, not along the columns."""
        return self.strides[self.right][self.column] != 1

    def starts_from_zero(self) -> bool:
        """Tell whether nothing is added to the products."""
        start = self.operation.operands[2].owner
        return getattr(start, "name", "") == "linalg.fill" and constant_of(start.operands[0]) == 0.0


def sums(operation: Any, column: int, places: Sequence[Any] = ()) -> Sums | None:
    """Read an operation of known sizes as rows by the columns of a loop; None where it cannot be read so.

    `places` is the memory that both sides lie in; without it they are taken to lie as their types say.
    """
    loops = Loops(operation)
    if "reduction" not in loops.iterators or len(operation.operands) != 3:
        return None
    elements = loops.element_types()
    if elements[1:] != [elements[0], "f32"] or not loops.multiplies(widening=elements[0] != "f32"):
        return None
    steps = [_steps(map_) for map_ in loops.maps()]
    result = tuple(loops.along()[2])
    extents = tuple(loops.extents())
    if None in steps or -1 in result or min(extents) <= 0:
        return None
    lies = [_strides(value, each) for value, each in zip(places or operation.operands, steps, strict=False)]
    right = next((side for side in (0, 1) if column in (lies[side] or ())), None)
    if right is None or lies[0] is None or lies[1] is None or column in lies[1 - right]:
        return None
    left = 1 - right
    depth = [loop for loop, kind in enumerate(loops.iterators) if kind == "reduction"]
    if not all(loop in lies[0] and loop in lies[1] for loop in depth):
        return None
    depth = [loop for loop in depth if extents[loop] > 1] or depth[:1]
    depth.sort(key=lambda loop: -lies[right][loop])
    rows: list[int] = []
    for loop in reversed(result):
        if loop in lies[left] and loop not in lies[right]:
            rows.insert(0, loop)
        elif rows:
            break
    batch = tuple(loop for loop in result if loop != column and loop not in rows)
    if (
        not rows
        or not _go_on(lies[right], extents, depth)
        or 1 not in (lies[right][column], lies[right][depth[-1]])
    ):
        return None
    return Sums(
        operation,
        elements[0],
        left,
        right,
        batch,
        tuple(rows),
        column,
        tuple(depth),
        extents,
        result,
        (lies[0], lies[1]),
    )


def _steps(map_: Any) -> list[Strides] | None:
    """Return, for each dimension of a tensor, by how much each loop moves on along it; None if not so."""
    from_dimensions = [_terms(map_, each) for each in map_.results]
    return None if None in from_dimensions else [each for each in from_dimensions if each is not None]


def _terms(map_: Any, expression: Any) -> Strides | None:
    """Return the factors of loops in a sum of them."""
    ir = bindings(map_).ir
    if isinstance(expression, ir.AffineConstantExpr):
        return {} if expression.value == 0 else None
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position: 1}
    if isinstance(expression, ir.AffineMulExpr) and isinstance(expression.rhs, ir.AffineConstantExpr):
        inside = _terms(map_, expression.lhs)
        return (
            None if inside is None else {loop: each * expression.rhs.value for loop, each in inside.items()}
        )
    if isinstance(expression, ir.AffineAddExpr):
        both = [_terms(map_, each) for each in (expression.lhs, expression.rhs)]
        if both[0] is None or both[1] is None:
            return None
        return {loop: both[0].get(loop, 0) + both[1].get(loop, 0) for loop in {*both[0], *both[1]}}
    return None


def _strides(value: Any, steps: Sequence[Strides]) -> Strides | None:
    """Return how far apart in a tensor's memory two steps of each loop are; None where that is not known.

    In steps of the tensor's last dimension, which may be of several elements.
    """
    lies = _lies(value)
    if lies is None or any(stride % lies[-1] for stride in lies):
        return None
    found: Strides = {}
    for stride, each in zip((stride // lies[-1] for stride in lies), steps, strict=True):
        for loop, factor in each.items():
            found[loop] = found.get(loop, 0) + factor * stride
    return found


def _lies(value: Any) -> list[int] | None:
    """Return how many elements apart two steps along each dimension are; None where that is not known."""
    ir = bindings(value).ir
    if isinstance(value.type, ir.MemRefType):
        strides, _ = ir.MemRefType(value.type).get_strides_and_offset()
        return None if ir.ShapedType.get_dynamic_stride_or_offset() in strides else list(strides)
    shape = list(ir.ShapedType(value.type).shape)
    if any(ir.ShapedType(value.type).is_dynamic_dim(dim) for dim in range(len(shape))):
        return None
    return [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]


def _go_on(strides: Strides, extents: Sequence[int], loops: Sequence[int]) -> bool:
    """Tell whether each step of a loop goes on where the steps of the next one end."""
    return all(
        strides[outer] == strides[inner] * extents[inner]
        for outer, inner in zip(loops, loops[1:], strict=False)
    )
