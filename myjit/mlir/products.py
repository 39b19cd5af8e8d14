"""Matrix products among the loops of linalg: their sizes, and how each tensor lies in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.tensors import index, size


@dataclass(frozen=True)
class Product:
    """An operation that multiplies matrices and adds up in f32, and the loops it has for that.

    `element` is the type of both sides. A loop of `batch` may leave one side as it is. How often a loop runs
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

    def inside(self, tensor: int) -> dict[int, tuple[int, ...]]:
        """Return the loops within each loop of a tensor: a step of it goes on over as many elements."""
        along = self.tensors[tensor]
        return {loop: along[i + 1 :] for i, loop in enumerate(along)}

    def is_single(self, loops: Sequence[int]) -> bool:
        """Tell whether loops run once, all together."""
        return all(self.extents[loop] == 1 for loop in loops)

    def is_static(self) -> bool:
        """Tell whether all sizes are known, and none is zero."""
        return min(self.extents) > 0

    def count(self, loops: Sequence[int]) -> Any:
        """Return how often loops run, all together: a number, or a value of index type built in front."""
        known = math.prod(self.extents[loop] for loop in loops if self.extents[loop] >= 0)
        unknown = [self._extent(loop) for loop in loops if self.extents[loop] < 0]
        if not unknown:
            return known
        ir = bindings(self.operation).ir
        value = index(ir, known)
        for extent in unknown:
            value = ir.Operation.create("arith.muli", [extent.type], [value, extent]).results[0]
        return value

    def _extent(self, loop: int) -> Any:
        tensor = next(i for i, along in enumerate(self.tensors) if loop in along)
        return size(self.operation.operands[tensor], self.tensors[tensor].index(loop))


def product(operation: Any) -> Product | None:
    """Read an operation as a product with one loop each of rows, columns and depth; None if it is none."""
    loops = Loops(operation)
    if loops.iterators.count("reduction") != 1 or len(operation.operands) != 3:
        return None
    element = loops.factors()
    if not element:
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
    return Product(operation, element, batch, row[0], column[0], depth[0], extents, tensors)
