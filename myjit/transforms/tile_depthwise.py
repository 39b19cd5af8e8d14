"""Give convolutions of single channels tiles that divide their results' rows.

IREE takes some four places of a row at once, whatever there are: of a row of seven, as gradients of kernels
have, the other three are added up one number at a time, six to ten times as slowly (benchmarks/NOTES.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.dispatches import COMMON, REDUCTION, Tiled, dispatches
from myjit.passes.base import Pass

#: The loops of such a convolution, channels last: image, row, place, channel, and those of the kernel.
_LOOPS = [*["parallel"] * 4, *["reduction"] * 2]
_PLACE = 2


@dataclass(frozen=True)
class TileDepthwise(Pass):
    """Tile rows that IREE's tile does not divide by their greatest divisor up to `places`."""

    IS_TUNING: ClassVar[bool] = True

    places: int = 8

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches around one convolution."""
        for dispatch in dispatches(module, "ConvTileAndDecomposeExpert"):
            convolutions = [
                t for t in dispatch if t.iterators == _LOOPS and t.multiplies() and REDUCTION in t.tiles
            ]
            if len(convolutions) == 1 and all(t is convolutions[0] or _follows(t) for t in dispatch):
                self._tile(dispatch, convolutions[0])

    def _tile(self, dispatch: list[Tiled], convolution: Tiled) -> None:
        extents, tiles = convolution.extents(), convolution.tiles
        row, taken = extents[_PLACE], tiles[COMMON][_PLACE]
        if row < 1 or taken < 1 or row % taken == 0:
            return
        for tiled in dispatch:
            tiled.tiles[COMMON][_PLACE] = max(n for n in range(1, self.places + 1) if row % n == 0)
        for loop in (4, 5):
            if extents[loop] % max(tiles[REDUCTION][loop], 1):
                tiles[REDUCTION][loop] = 1
        for tiled in dispatch:
            tiled.write()


def _follows(tiled: Tiled) -> bool:
    """Tell whether an operation fills a convolution's result, or takes it in its loops' order."""
    if len(tiled.tiles.get(COMMON, ())) != _PLACE + 2 or "reduction" in tiled.iterators:
        return False
    if tiled.operation.name == "linalg.fill":
        return True
    along = tiled.along()  # none for what is no loops
    return bool(along) and all(loops == [0, 1, 2, 3] for loops in along[:-1] if len(loops) == _PLACE + 2)
