"""Have workgroups of pointwise loops go through memory in one piece.

IREE gives a workgroup a cube, of at most 64 steps of each loop: of images 64 numbers of each of hundreds of
lines, which lie on as many pages, and of which a processor fetches none ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.dispatches import COMMON, WORKGROUP, Tiled, dispatches
from myjit.passes.base import Pass

#: Steps of the last loop, the one before it and all others, where it is not known how many there are.
_UNKNOWN = (1024, 32, 1)


@dataclass(frozen=True)
class TakeWholeRows(Pass):
    """Give workgroups of pointwise loops about `elements` elements that lie one after the other."""

    IS_TUNING: ClassVar[bool] = True

    elements: int = 2**13

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            if len(dispatch) == 1 and _goes_by_rows(dispatch[0]):
                self._spread(dispatch[0])

    def _spread(self, tiled: Tiled) -> None:
        left, sizes = self.elements, []
        for outward, extent in enumerate(reversed(tiled.extents())):
            if extent < 0:
                size = _UNKNOWN[min(outward, 2)]
            elif extent <= left:
                size = 0  # all of them
            else:
                size = left if outward else _part(extent, left, max(tiled.tiles[COMMON]))
            sizes.append(size)
            left = max(1, left // (size or extent or 1))
        tiled.tiles[WORKGROUP] = sizes[::-1]
        tiled.write()


def _goes_by_rows(tiled: Tiled) -> bool:
    """Tell whether a dispatch is pointwise loops of rows, none of whose tensors lies across the others."""
    if tiled.operation.name != "linalg.generic" or "reduction" in tiled.iterators:
        return False
    last = len(tiled.iterators) - 1
    vector, spread = (tiled.tiles.get(level, ()) for level in (COMMON, WORKGROUP))
    if last < 1 or len(vector) != last + 1 or len(spread) != last + 1 or max(vector[:-1]) > 1:
        return False
    return not tiled.across()


def _part(extent: int, most: int, vector: int) -> int:
    """Return the greatest part of a row that is made of whole vectors and divides it; or `most`."""
    whole = range(most // vector * vector, most // 8, -vector)
    return next((size for size in whole if extent % size == 0), most)
