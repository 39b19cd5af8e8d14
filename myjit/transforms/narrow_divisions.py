"""Have loops that divide whole numbers take few elements at a time.

Processors have no vectors of integer quotients, so the code generator writes one division after the other for
each element of a tile. Windows whose places are quotients (adaptive pooling of changing sizes) get tiles of
512 elements with AVX-512, shaped by a tensor of bytes: five minutes of compiling, for code no faster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.dispatches import VECTOR_LEVELS, Tiled, dispatches
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_DIVISIONS = (
    "arith.divsi",
    "arith.divui",
    "arith.remsi",
    "arith.remui",
    "arith.floordivsi",
    "arith.ceildivsi",
)


@dataclass(frozen=True)
class NarrowDivisions(Pass):
    """Halve the tiles of dispatches that divide integers, the longest first, to at most `elements` each."""

    elements: int = 32

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            if any(_divides(tiled) for tiled in dispatch):
                self._narrow(dispatch)

    def _narrow(self, dispatch: list[Tiled]) -> None:
        # A loop's tiles stay equal at all levels: IREE's code is wrong where it takes a row by fours inside
        # of eights.
        while max(_size(tiled) for tiled in dispatch) > self.elements:
            half = max(_greatest(tiled) for tiled in dispatch) // 2
            for tiled in dispatch:
                for level in VECTOR_LEVELS:
                    if level in tiled.tiles:
                        tiled.tiles[level] = [min(size, half) for size in tiled.tiles[level]]
        for tiled in dispatch:
            tiled.write()


def _greatest(tiled: Tiled) -> int:
    return max((size for level in VECTOR_LEVELS for size in tiled.tiles.get(level, ())), default=0)


def _divides(tiled: Tiled) -> bool:
    return any(op.name in _DIVISIONS for op in operations(tiled.operation))


def _size(tiled: Tiled) -> int:
    """Return the elements of a vector tile: of each loop, the smallest tile that a level takes of it."""
    levels = [tiled.tiles[level] for level in VECTOR_LEVELS if level in tiled.tiles]
    return math.prod(min((size for size in sizes if size), default=1) for sizes in zip(*levels, strict=True))
