"""Give matrix products whose right side lies row by row the register tile of a good GEMM.

IREE takes 8 × 8 outputs a step on AVX2. Six rows by two registers keep twelve accumulators and their
operands in the sixteen registers there are, and never transpose: 1.7 × on 512³ (benchmarks/NOTES.md). Of the
32 registers of AVX-512 eight rows by two take half: more rows would not divide most products.
Where the right side is transposed (a linear layer's weight), IREE's own tile is the better one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.dispatches import COMMON, REDUCTION, WORKGROUP, Tiled, dispatches
from myjit.passes.base import Pass

_CACHE = "cache_parallel"


@dataclass(frozen=True)
class TileContractions(Pass):
    """Tile to `rows` × `registers` vector registers, `depth` steps at a time, `columns` a workgroup.

    `wide_rows` stands for `rows` where a register holds sixteen numbers.
    """

    IS_TUNING: ClassVar[bool] = True

    rows: int = 6
    wide_rows: int = 8
    registers: int = 2
    depth: int = 4
    columns: int = 128

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches around one contraction."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            contractions = [t for t in dispatch if _is_row_by_row(t)]
            if len(contractions) == 1 and all(
                t is contractions[0] or t.follows(contractions[0]) for t in dispatch
            ):
                self._tile(dispatch, contractions[0])

    def _tile(self, dispatch: list[Tiled], contraction: Tiled) -> None:
        tiles, extents = contraction.tiles, contraction.extents()
        row, column, depth = len(extents) - 3, len(extents) - 2, len(extents) - 1
        rows = self.rows if tiles[COMMON][column] < 16 else self.wide_rows
        width = tiles[COMMON][column] * self.registers
        if extents[row] < rows or extents[column] < 1 or extents[column] % width:
            return
        if tiles[COMMON][row] < 2:
            return
        wide = extents[column] % self.columns == 0
        for tiled in dispatch:
            tiled.tiles[COMMON][row], tiled.tiles[COMMON][column] = rows, width
            for level in (_CACHE, WORKGROUP):
                if wide and level in tiled.tiles:
                    tiled.tiles[level][column] = self.columns
        tiles[REDUCTION][depth] = self.depth
        for tiled in dispatch:
            tiled.write()


def _is_row_by_row(tiled: Tiled) -> bool:
    """Tell whether an operation is ...×M×N×K loops over A[..., M, K] and B[..., K, N]."""
    kinds = tiled.iterators
    if (
        len(kinds) < 3
        or kinds != ["parallel"] * (len(kinds) - 1) + ["reduction"]
        or REDUCTION not in tiled.tiles
    ):
        return False
    loops = tiled.inner_loops()
    column, depth = len(kinds) - 2, len(kinds) - 1
    return loops == [depth, column, column] and set(tiled.element_types()) == {"f32"}
