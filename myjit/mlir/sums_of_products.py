"""Sums of products of two tensors' elements, matrix products and convolutions, seen as rows by columns.

A matrix product has one loop each of rows, columns and depth. A convolution has several of rows (the places
of its result) and of depth (channels, and the places of a window), through which it goes as through one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops

#: Places at most of a window, or of two, that are packed one after the other.
_MOST_PLACES = 98
#: Steps of a run at most: pairs that fill a vector of 16.
_LONGEST_RUN = 32

#: From loops to how many elements apart in memory two steps of each are.
Strides = dict[int, int]


@dataclass(frozen=True)
class Windows:
    """Loops of a depth, outer ones and those inside of a window: how often each runs, how far a step goes.

    So far, that is, on the side that is read through windows.
    """

    outer: list[tuple[int, int]]
    inside: list[tuple[int, int]]

    @property
    def places(self) -> int:
        """How many places a window has."""
        return math.prod(extent for extent, _ in self.inside)

    @property
    def period(self) -> int:
        """How many places whole windows have that are whole pairs: those of one, or of two."""
        return self.places * (1 + self.places % 2)


@dataclass(frozen=True)
class Sums:
    """An operation that adds up products in f32, and the loops it has for that.

    `element` is the type of both sides. `left` and `right` number the operands: the left side lies along the
    rows, the right one along `column`, and both along `depth`, whose loops stand in the order in which the
    right side lies along them. `lines` are loops before the columns' that only the right side lies along, as
    an image's are. `result` holds the loop along each dimension of the result, `strides` how each side lies.
    """

    operation: Any
    element: str
    left: int
    right: int
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    lines: tuple[int, ...]
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
    def has_windows(self) -> bool:
        """Whether a side is read through windows, as a convolution reads images."""
        return not Loops(self.operation).is_plain()

    @property
    def is_turned(self) -> bool:
        """Whether the right side lies along the depth, not along the columns."""
        return self.strides[self.right][self.column] != 1

    @property
    def windows(self) -> Windows:
        """The depth as windows of few places: all loops but the first, or else `runs`."""
        right = self.strides[self.right]
        loops = [(self.extents[loop], right[loop]) for loop in self.depth]
        found = Windows(loops[:1], loops[1:])
        return found if found.period <= _MOST_PLACES else self.runs

    @property
    def runs(self) -> Windows:
        """The depth as parts of its last loop, as large as there are equal ones of up to 32 steps."""
        right = self.strides[self.right]
        *outer, (extent, step) = [(self.extents[loop], right[loop]) for loop in self.depth]
        places = max(part for part in range(1, _LONGEST_RUN + 1) if extent % part == 0)
        return Windows([*outer, (extent // places, places * step)], [(places, step)])

    def goes_on(self, side: int) -> bool:
        """Tell whether steps of the whole depth lie evenly apart on a side."""
        return go_on(self.strides[side], self.extents, self.depth)


def sums(operation: Any, column: int, places: Sequence[Any] = ()) -> Sums | None:
    """Read an operation of known sizes as rows by the columns of a loop; None where it cannot be read so.

    `places` is the memory that both sides lie in; without it they are taken to lie as their types say.
    """
    loops = Loops(operation)
    kinds = loops.iterators
    if "reduction" not in kinds or len(operation.operands) != 3:
        return None
    element = loops.factors()
    if not element:
        return None
    result, extents = tuple(loops.along()[2]), tuple(loops.extents())
    if -1 in result or min(extents) <= 0:
        return None
    both = [
        _strides(value, map_)
        for value, map_ in zip(places or list(operation.operands)[:2], loops.maps(), strict=False)
    ]
    first, second = both
    if first is None or second is None or (column in first) == (column in second):
        return None
    right = 1 if column in second else 0
    lies, others = (second, first) if right else (first, second)
    depth = [loop for loop, kind in enumerate(kinds) if kind == "reduction"]
    rows = last_run(result, {*others} - {*lies})
    if not rows or not all(loop in lies and loop in others for loop in depth):
        return None
    depth = [loop for loop in depth if extents[loop] > 1] or depth[:1]
    depth.sort(key=lambda loop: -lies[loop])
    before = reversed(result[: result.index(column)])
    lines = tuple(takewhile(lambda loop: loop not in others, before))[::-1]
    batch = tuple(loop for loop in result if loop not in (*rows, *lines, column))
    return Sums(
        operation,
        element,
        1 - right,
        right,
        batch,
        rows,
        lines,
        column,
        tuple(depth),
        extents,
        result,
        (first, second),
    )


def last_run(loops: Sequence[int], wanted: Set[int]) -> tuple[int, ...]:
    """Return the last of the wanted loops with those before it, up to one that is not wanted."""
    end = max((i + 1 for i, loop in enumerate(loops) if loop in wanted), default=0)
    begin = end
    while begin > 0 and loops[begin - 1] in wanted:
        begin -= 1
    return tuple(loops[begin:end])


def _strides(value: Any, map_: Any) -> Strides | None:
    """Return how far apart in a tensor's memory two steps of each loop are; None where that is not known.

    In steps of the tensor's last dimension, which may be of several elements.
    """
    lies = _lies(value)
    if not lies or lies[-1] == 0 or any(stride % lies[-1] for stride in lies):
        return None
    found: Strides = {}
    for stride, expression in zip(lies, map_.results, strict=True):
        terms = _terms(map_, expression)
        if terms is None:
            return None
        for loop, factor in terms.items():
            found[loop] = found.get(loop, 0) + factor * (stride // lies[-1])
    return found


def _terms(map_: Any, expression: Any) -> Strides | None:
    """Return the factors of loops in a sum of them, None if it is none."""
    ir = bindings(map_).ir
    if isinstance(expression, ir.AffineConstantExpr):
        return {} if expression.value == 0 else None
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position: 1}
    if isinstance(expression, ir.AffineMulExpr) and isinstance(expression.rhs, ir.AffineConstantExpr):
        inside = _terms(map_, expression.lhs)
        return inside and {loop: factor * expression.rhs.value for loop, factor in inside.items()}
    if isinstance(expression, ir.AffineAddExpr):
        left, right = (_terms(map_, each) for each in (expression.lhs, expression.rhs))
        if left is None or right is None:
            return None
        return {loop: left.get(loop, 0) + right.get(loop, 0) for loop in {*left, *right}}
    return None


def _lies(value: Any) -> list[int] | None:
    """Return how many elements apart two steps along each dimension are; None where that is not known."""
    ir = bindings(value).ir
    if isinstance(value.type, ir.MemRefType):
        strides, _ = ir.MemRefType(value.type).get_strides_and_offset()
        return None if ir.ShapedType.get_dynamic_stride_or_offset() in strides else list(strides)
    kind = ir.RankedTensorType(value.type)
    if not kind.has_static_shape:
        return None
    return [math.prod(kind.shape[dim + 1 :]) for dim in range(kind.rank)]


def go_on(strides: Strides, extents: Sequence[int], loops: Sequence[int]) -> bool:
    """Tell whether each step of a loop goes on where the steps of the next one end."""
    return all(strides[outer] == strides[inner] * extents[inner] for outer, inner in pairwise(loops))
