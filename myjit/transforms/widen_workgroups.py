"""Give pointwise dispatches of a GPU workgroups of several warps.

IREE's code generator takes one warp a workgroup. A multiprocessor holds only so many workgroups, and with
one warp each they are half of the warps that it could hold: too few loads are under way to use the memory.
Only loops whose length the wider tile divides are widened, so that no thread is left without work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.dispatches import Tiled
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_LISTS = re.compile(r"(\w+) = \[([\d, ]*)\]")
_PREFIX = "#iree_gpu.lowering_config<"
_SIZE = "workgroup_size = [32, 1, 1]"


@dataclass(frozen=True)
class WidenWorkgroups(Pass):
    """Widen workgroups of one warp up to `warps`, along a loop that stays evenly divided."""

    warps: int = 4

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches in place."""
        for function in list(operations(module.operation)):
            if function.name == "func.func" and "translation_info" in function.attributes:
                text = str(function.attributes["translation_info"])
                if "<TileAndFuse>" in text and _SIZE in text:
                    self._widen(function, text)

    def _widen(self, function: Any, text: str) -> None:
        tiled = [_tiled(op) for op in operations(function) if "lowering_config" in op.attributes]
        found = tiled[0] if len(tiled) == 1 else None
        if found is None:
            return
        tiles, extents = found.tiles["workgroup"], found.extents()
        loop = next((i for i in reversed(range(len(tiles))) if self._fits(tiles[i], extents[i])), -1)
        if loop < 0:
            return
        tiles[loop] *= self.warps
        lists = ", ".join(f"{name} = {sizes}" for name, sizes in found.tiles.items())
        ir = bindings(function).ir
        found.operation.attributes["lowering_config"] = ir.Attribute.parse(
            f"{_PREFIX}{{{lists}}}>", function.context
        )
        wider = text.replace(_SIZE, f"workgroup_size = [{32 * self.warps}, 1, 1]")
        function.attributes["translation_info"] = ir.Attribute.parse(wider, function.context)

    def _fits(self, tile: int, extent: int) -> bool:
        return tile > 0 and extent > 0 and extent % (tile * self.warps) == 0


def _tiled(op: Any) -> Tiled | None:
    """Read an operation's tiles; None unless they are those of plain parallel loops on one warp."""
    text = str(op.attributes["lowering_config"])
    tiles = {name: [int(n) for n in sizes.split(",") if n.strip()] for name, sizes in _LISTS.findall(text)}
    if not text.startswith(_PREFIX) or set(tiles) != {"thread", "workgroup"}:
        return None
    tiled = Tiled(op, tiles)
    if op.name != "linalg.generic" or set(tiled.iterators) != {"parallel"}:
        return None
    if not len(tiles["thread"]) == len(tiles["workgroup"]) == len(tiled.iterators):
        return None
    return tiled if prod(tiles["workgroup"]) == 32 * prod(tiles["thread"]) else None
