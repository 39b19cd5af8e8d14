"""Have loops that divide whole numbers take few elements at a time.

Processors have no vectors of integer quotients, so the code generator writes one division after the other for
each element of a tile. Windows whose places are quotients (adaptive pooling of changing sizes) get tiles of
512 elements with AVX-512, shaped by a tensor of bytes: five minutes of compiling, for code no faster.
"""

from __future__ import annotations

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
        while max(_size(tiled) for tiled in dispatch) > self.elements:
            level = max(VECTOR_LEVELS, key=lambda level: _greatest(dispatch, level))
            half = _greatest(dispatch, level) // 2
            for tiled in dispatch:
                if level in tiled.tiles:
                    tiled.tiles[level] = [min(size, half) for size in tiled.tiles[level]]
        for tiled in dispatch:
            tiled.write()


def _greatest(dispatch: list[Tiled], level: str) -> int:
    return max((size for tiled in dispatch for size in tiled.tiles.get(level, ())), default=0)


def _divides(tiled: Tiled) -> bool:
    return any(op.name in _DIVISIONS for op in operations(tiled.operation))


def _size(tiled: Tiled) -> int:
    """Return the elements of a vector tile."""
    size = 1
    for level in VECTOR_LEVELS:
        for each in tiled.tiles.get(level, ()):
            size *= max(each, 1)
    return size
