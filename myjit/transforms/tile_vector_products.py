"""Give products of a matrix and a vector tiles that add up along the vector registers.

IREE takes a register of results and as many steps of the sum at a time, as for matrices: up to 1.9 × the
time (benchmarks/NOTES.md). Where the matrix lies along the sum (a linear layer's weight), one result is
computed at a time, of all the sum if it is not too long. Where it lies along the results, several registers
of results are, a few steps of the sum at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.dispatches import COMMON, REDUCTION, WORKGROUP, Tiled, dispatches
from myjit.passes.base import Pass

#: Results at a time: fewer leave vectors empty, and cost more than the last of these registers under a mask.
_LEAST_COLUMNS, _MASKED_REGISTERS = 16, 2


@dataclass(frozen=True)
class TileVectorProducts(Pass):
    """Tile sums to at most `whole` numbers at once, or to `columns` results and `depth` steps."""

    IS_TUNING: ClassVar[bool] = True

    whole: int = 256
    columns: int = 128
    depth: int = 4

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches around one product of a matrix and a vector."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            products = [tiled for tiled in dispatch if "reduction" in tiled.iterators]
            if len(products) == 1 and all(t is products[0] or t.follows(products[0]) for t in dispatch):
                matrix = _matrix_loop(products[0])
                if matrix >= 0:
                    self._tile(dispatch, products[0], matrix)

    def _tile(self, dispatch: list[Tiled], product: Tiled, matrix: int) -> None:
        last = len(product.iterators) - 1
        extent, common = product.extents()[matrix], [1] * last
        if matrix == last:
            depth = extent if extent <= self.whole else _divisor(extent, self.whole)
        else:
            spread = product.tiles.get(WORKGROUP, [0] * last)
            limit = spread[matrix] or extent
            common[matrix] = next((w for w in _halves(self.columns) if extent % w == limit % w == 0), 0)
            masked = _MASKED_REGISTERS * product.tiles[COMMON][matrix]
            if common[matrix] < _LEAST_COLUMNS <= masked <= extent and spread[matrix]:
                common[matrix] = spread[matrix] = masked
            depth = next(d for d in _halves(self.depth) if product.extents()[last] % d == 0)
        if 0 in common or depth < 1:
            return
        for tiled in dispatch:
            zeros = len(tiled.tiles[COMMON]) - last
            tiled.tiles[COMMON] = common + [0] * zeros
        product.tiles[REDUCTION][last] = depth
        for tiled in dispatch:
            tiled.write()


def _matrix_loop(tiled: Tiled) -> int:
    """Return the loop along the matrix's innermost dimension, -1 where this is no such product."""
    kinds, extents = tiled.iterators, tiled.extents()
    if kinds[-1] != "reduction" or kinds.count("reduction") != 1 or -1 in extents:
        return -1
    if not len(tiled.tiles.get(COMMON, ())) == len(kinds) == len(tiled.tiles.get(REDUCTION, ())):
        return -1
    if len(tiled.operation.operands) != 3 or not tiled.multiplies() or set(tiled.element_types()) != {"f32"}:
        return -1
    first, second, result = (
        {loop for loop in loops if loop < 0 or extents[loop] > 1} for loops in tiled.along()
    )
    matrix, vector = (first, second) if second < first else (second, first)
    if not vector < matrix or matrix != result | {len(kinds) - 1} or len(kinds) - 1 not in vector:
        return -1
    return tiled.inner_loops()[0 if matrix is first else 1]


def _halves(size: int) -> list[int]:
    return [size >> shift for shift in range(size.bit_length())]


def _divisor(extent: int, most: int) -> int:
    """Return the greatest divisor up to `most` that fills registers, 0 without one."""
    return next((size for size in range(most, 15, -1) if extent % size == 0 and size % 16 == 0), 0)
