"""Have tiles of rows divide what a workgroup has of them, in kernels that add up several times.

Of tiles that do not the last is smaller, so that IREE knows no size: it then computes a first sum anew in
each step of one that reads it, added to what it was, as often as there are steps (IREE 3.13). Remove when
tests/transforms/test_divide_rows.py passes without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.dispatches import COMMON, WORKGROUP, Tiled, dispatches, take_single_rows
from myjit.passes.base import Pass


@dataclass(frozen=True)
class DivideRows(Pass):
    """Take one row at a time where several would leave a rest."""

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            if sum("reduction" in tiled.iterators for tiled in dispatch) < 2:
                continue
            if not all(map(_divides, dispatch)):
                take_single_rows(dispatch)


def _divides(tiled: Tiled) -> bool:
    """Tell whether the vector tiles divide those of workgroups, and these the loops."""
    extents = tiled.extents() if tiled.iterators else []
    spread = tiled.tiles.get(WORKGROUP)
    if spread is None:
        return True
    for size, group, extent in zip(tiled.tiles.get(COMMON, ()), spread, extents, strict=False):
        if size > 1 and (extent < 1 or (group or extent) % size or extent % (group or extent)):
            return False
    return True
