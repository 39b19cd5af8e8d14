"""Give pointwise dispatches of a GPU workgroups of several warps.

IREE's code generator takes one warp a workgroup. A multiprocessor holds only so many workgroups, and with
one warp each they are half of the warps that it could hold: too few loads are under way to use the memory.
Only loops whose length the wider tile divides are widened, so that no thread is left without work.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from myjit.mlir.dispatches import is_compiled_by
from myjit.mlir.gpu_dispatches import lists, set_threads, threads, write_lists
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_WARP = 32


@dataclass(frozen=True)
class WidenWorkgroups(Pass):
    """Widen workgroups of one warp up to `warps`, along a loop that stays evenly divided."""

    warps: int = 4

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for function in operations(module.operation):
            if is_compiled_by(function, "TileAndFuse") and threads(function) == _WARP:
                self._widen(function)

    def _widen(self, function: Any) -> None:
        tiled = [op for op in operations(function) if "lowering_config" in op.attributes]
        if len(tiled) != 1 or not _is_pointwise(tiled[0]):
            return
        config, extents = lists(tiled[0]), Loops(tiled[0]).extents()
        tiles = config["workgroup"]
        loop = next((i for i in reversed(range(len(tiles))) if self._fits(tiles[i], extents[i])), -1)
        if loop >= 0:
            tiles[loop] *= self.warps
            write_lists(tiled[0], config)
            set_threads(function, _WARP * self.warps)

    def _fits(self, tile: int, extent: int) -> bool:
        return tile > 0 and extent > 0 and extent % (tile * self.warps) == 0


def _is_pointwise(op: Any) -> bool:
    """Tell whether an operation's tiles are those of plain parallel loops on one warp."""
    config, iterators = lists(op), Loops(op).iterators
    if (
        set(config) != {"thread", "workgroup"}
        or op.name != "linalg.generic"
        or set(iterators) != {"parallel"}
    ):
        return False
    if not len(config["thread"]) == len(config["workgroup"]) == len(iterators):
        return False
    return prod(config["workgroup"]) == _WARP * prod(config["thread"])
