"""Have kernels that keep rows on the stack, for several loops that read them, keep fewer of them.

IREE takes as many rows at a time as make its vectors fast, computes them once for each of the loops that read
them, and refuses the program where they all are more than its limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.dispatches import COMMON, Tiled, dispatches, take_single_rows
from myjit.passes.base import Pass


@dataclass(frozen=True)
class FitStack(Pass):
    """Take one row at a time where several would be more than `most` bytes, about a first cache."""

    IS_TUNING: ClassVar[bool] = True

    most: int = 2**15

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            if sum(map(_kept, dispatch)) > self.most:
                take_single_rows(dispatch)


def _kept(tiled: Tiled) -> int:
    """Return how many bytes hold what an operation computes for sums, and for others in the dispatch."""
    if tiled.operation.name != "linalg.generic" or "reduction" in tiled.iterators:
        return 0
    rows = tiled.tiles.get(COMMON, ())
    (result, *_) = tiled.operation.results
    readers = {use.owner.operation for use in result.uses if use.owner.name == "linalg.generic"}
    if len(readers) < 2 or not rows or rows[-1] != 0 or min(tiled.extents()) < 0:
        return 0
    sizes = [size or extent for size, extent in zip(rows, tiled.extents(), strict=False)]
    element = bindings(result).ir.ShapedType(result.type).element_type
    return len(readers) * math.prod(sizes) * -(-element.width // 8)
