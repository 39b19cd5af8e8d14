"""Read what lies across the other tensors of a loop in blocks: `x.t() + x`, images from NHWC into NCHW.

IREE takes one row of the result at a time and reads what lies across it number by number, each
from another cache line, which is gone again when the next row asks for its neighbour. Of blocks as high
as vectors are wide it reads whole vectors, and turns them in registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.dispatches import Tiled, dispatches
from myjit.passes.base import Pass

_COMMON, _WORKGROUP = "vector_common_parallel", "distribution"


@dataclass(frozen=True)
class TransposeInRegisters(Pass):
    """Give pointwise loops with tensors that lie across others square tiles, of at most `most` rows."""

    IS_TUNING: ClassVar[bool] = True

    most: int = 16

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            if len(dispatch) == 1 and _is_pointwise(dispatch[0]):
                self._square(dispatch[0])

    def _square(self, tiled: Tiled) -> None:
        extents, last = tiled.extents(), len(tiled.iterators) - 1
        across = {along[-1] for along in tiled.along() if last in along[:-1]}
        width = min(self.most, max(tiled.tiles[_COMMON]))
        if len(across) != 1 or width == 1:
            return
        (other,) = across
        if any(0 <= extents[loop] < width for loop in (other, last)):
            return
        tiled.tiles[_COMMON] = [width if loop in (other, last) else 1 for loop in range(last + 1)]
        spread = tiled.tiles.get(_WORKGROUP, [])
        for loop, size in enumerate(spread):
            if loop in (other, last) and size:
                spread[loop] = max(size // width, 1) * width
        tiled.write()


def _is_pointwise(tiled: Tiled) -> bool:
    is_parallel = tiled.operation.name == "linalg.generic" and "reduction" not in tiled.iterators
    return is_parallel and tiled.is_plain()
