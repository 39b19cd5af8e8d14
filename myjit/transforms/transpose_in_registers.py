"""Read what lies across the other tensors of a loop in blocks: `x.t() + x`, images from NHWC into NCHW.

IREE takes one row of the result at a time and reads what lies across it number by number, each from another
cache line, which is gone again when the next row asks for its neighbour. Of blocks as high as vectors are
wide it reads whole vectors, and turns them in registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.dispatches import COMMON, REDUCTION, WORKGROUP, Tiled, dispatches
from myjit.passes.base import Pass


@dataclass(frozen=True)
class TransposeInRegisters(Pass):
    """Give loops with tensors that lie across others square tiles, of at most `most` rows.

    They are pointwise, or reduce along the last loop, into what an operation before them fills.
    """

    IS_TUNING: ClassVar[bool] = True

    most: int = 16

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            *before, loops = dispatch
            if loops.operation.name != "linalg.generic" or not loops.is_plain():
                continue
            if "reduction" not in loops.iterators:
                if not before:
                    self._square(loops, COMMON)
            elif _reduces_rows(before, loops) and self._square(loops, REDUCTION):
                (fill,) = before
                fill.tiles[COMMON] = loops.tiles[COMMON][: len(fill.tiles[COMMON])]
                fill.write()

    def _square(self, tiled: Tiled, inner: str) -> bool:
        """Make the tiles square whose rows are of the level `inner`; tell whether there is a reason to."""
        extents, last = tiled.extents(), len(tiled.iterators) - 1
        across = tiled.across()
        width = min(self.most, max(tiled.tiles.get(inner, (1,))))
        if len(across) != 1 or width == 1:
            return False
        (other,) = across
        if tiled.iterators[other] == "reduction" or any(0 <= extents[loop] < width for loop in (other, last)):
            return False
        tiled.tiles[COMMON] = [min(size, 1) for size in tiled.tiles[COMMON]]
        tiled.tiles[COMMON][other] = tiled.tiles[inner][last] = width
        spread = tiled.tiles.get(WORKGROUP, [])
        for loop, size in enumerate(spread):
            if loop in (other, last) and size:
                spread[loop] = max(size // width, 1) * width
        tiled.write()
        return True


def _reduces_rows(before: list[Tiled], loops: Tiled) -> bool:
    """Tell whether loops reduce along the last of them, into what is filled before."""
    result = loops.along()[-1]
    parallel = ["parallel"] * len(result)
    in_order = result == list(range(len(result))) and loops.iterators[: len(result)] == parallel
    return [tiled.operation.name for tiled in before] == ["linalg.fill"] and in_order
