"""Matrix products among the loops of linalg: their sizes, and how each tensor lies in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.layouts import contiguous
from myjit.mlir.loops import Loops


@dataclass(frozen=True)
class Product:
    """An operation that multiplies matrices of known sizes and adds up in f32, and the loops it has for that.

    `element` is the type of both sides. A loop of `batch` may leave one side as it is; how often they run
    may be unknown, which is -1 in `extents`. `tensors` holds the loop along each dimension of the left side,
    the right side and the result.
    """

    operation: Any
    element: str
    batch: tuple[int, ...]
    row: int
    column: int
    depth: int
    extents: tuple[int, ...]
    tensors: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> int:
        return self.extents[self.row]

    @property
    def columns(self) -> int:
        return self.extents[self.column]

    @property
    def depths(self) -> int:
        return self.extents[self.depth]

    @cached_property
    def strides(self) -> tuple[dict[int, int], ...]:
        """How many elements one step of each loop goes on in the left side, the right side and the result."""
        sizes = [[self.extents[loop] for loop in along] for along in self.tensors]
        return tuple(
            dict(zip(along, contiguous(shape), strict=True))
            for along, shape in zip(self.tensors, sizes, strict=True)
        )

    def is_static(self) -> bool:
        """Tell whether all sizes are known."""
        return min(self.extents) > 0

    def starts_from_zero(self) -> bool:
        """Tell whether nothing is added to the product."""
        start = self.operation.operands[2].owner
        return getattr(start, "name", "") == "linalg.fill" and constant_of(start.operands[0]) == 0.0


def product(operation: Any) -> Product | None:
    """Read an operation as a product with one loop each of rows, columns and depth; None if it is none."""
    loops = Loops(operation)
    if loops.iterators.count("reduction") != 1 or len(operation.operands) != 3:
        return None
    elements = loops.element_types()
    if elements[1:] != [elements[0], "f32"] or not loops.multiplies(widening=elements[0] != "f32"):
        return None
    left, right, result = tensors = tuple(tuple(along) for along in loops.along())
    extents = tuple(loops.extents())
    if any(-1 in along for along in tensors):
        return None
    depth = [d for d in left if d in right and d not in result]
    row = [d for d in result if d in left and d not in right][-1:]
    column = [d for d in result if d in right and d not in left][-1:]
    batch = tuple(d for d in result if d not in (*row, *column))
    if not len(depth) == len(row) == len(column) == 1 or len(batch) + 3 != len(extents):
        return None
    found = Product(operation, elements[0], batch, row[0], column[0], depth[0], extents, tensors)
    return found if min(found.rows, found.columns, found.depths) > 0 else None
