"""Read and write the code generator's configurations of dispatches, which IREE's bindings hold as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LISTS = re.compile(r"(\w+) = \[([\d, ]*)\]")
#: Named operations, which do not spell their loops out: the parallel ones, before one reduction.
_NAMED = {"linalg.matmul": 2, "linalg.batch_matmul": 3}
_PREFIX = "#iree_cpu.lowering_config<"


@dataclass(frozen=True)
class Tiled:
    """An operation of a dispatch with the tile sizes that IREE has chosen for it, by tiling level."""

    operation: Any
    tiles: dict[str, list[int]]

    @property
    def iterators(self) -> list[str]:
        """The kinds of the operation's loops, `parallel` or `reduction`; empty where it does not say."""
        attributes = self.operation.attributes
        if self.operation.name in _NAMED:
            return [*["parallel"] * _NAMED[self.operation.name], "reduction"]
        if "iterator_types" not in attributes:
            return []
        return [
            "reduction" if "reduction" in str(kind) else "parallel" for kind in attributes["iterator_types"]
        ]

    def extents(self) -> list[int]:
        """Return how often each loop runs, -1 where that is not known."""
        found = [-1] * len(self.iterators)
        ir = _ir()
        for value, entry in zip(
            self.operation.operands, self.operation.attributes["indexing_maps"], strict=True
        ):
            shape = ir.ShapedType(value.type)
            for position, result in enumerate(ir.AffineMapAttr(entry).value.results):
                if isinstance(result, ir.AffineDimExpr) and not shape.is_dynamic_dim(position):
                    found[result.position] = shape.get_dim_size(position)
        return found

    def element_types(self) -> list[str]:
        """Return the element type of each tensor that the operation takes."""
        ir = _ir()
        types = [value.type for value in self.operation.operands]
        return [str(ir.ShapedType(t).element_type) for t in types if isinstance(t, ir.ShapedType)]

    def inner_loops(self) -> list[int]:
        """Return, for each tensor, the loop along its innermost dimension, -1 where no single one is."""
        ir = _ir()
        maps = [ir.AffineMapAttr(entry).value for entry in self.operation.attributes["indexing_maps"]]
        last = [list(m.results)[-1:] for m in maps]
        return [e[0].position if e and isinstance(e[0], ir.AffineDimExpr) else -1 for e in last]

    def is_elementwise(self) -> bool:
        """Tell whether the loops are parallel and go through every tensor of their rank in its own order."""
        if not self.iterators or "reduction" in self.iterators:
            return False
        order = list(range(len(self.iterators)))
        for entry in self.operation.attributes["indexing_maps"]:
            results = list(_ir().AffineMapAttr(entry).value.results)
            dims = [r.position if isinstance(r, _ir().AffineDimExpr) else -1 for r in results]
            if len(dims) == len(order) and dims != order:
                return False
        return True

    def write(self) -> None:
        """Put the tile sizes as they are now onto the operation."""
        lists = ", ".join(f"{name} = {sizes}" for name, sizes in self.tiles.items())
        self.operation.attributes["lowering_config"] = _ir().Attribute.parse(f"{_PREFIX}{lists}>")


def dispatches(module: Any, pipeline: str) -> Iterator[list[Tiled]]:
    """Yield, for each dispatch that IREE's codegen pipeline `pipeline` will compile, its tiled operations.

    A dispatch that holds a linalg operation without tile sizes of its own is left out.
    """
    functions: list[Any] = []

    def collect(op: Any) -> Any:
        if op.name == "func.func" and pipeline in str(op.attributes.get("translation_info", "")):
            functions.append(op)
        return _ir().WalkResult.ADVANCE

    module.operation.walk(collect)
    for function in functions:
        tiled = _tiled(function)
        if tiled:
            yield tiled


def _tiled(function: Any) -> list[Tiled]:
    found: list[Tiled] = []
    for op in (op.operation for block in function.regions[0] for op in block):
        if not op.name.startswith(("linalg.", "iree_linalg_ext.")):
            continue
        text = str(op.attributes["lowering_config"]) if "lowering_config" in op.attributes else ""
        if not text.startswith(_PREFIX):
            return []
        tiles = {name: [int(n) for n in sizes.split(",")] for name, sizes in _LISTS.findall(text)}
        found.append(Tiled(op, tiles))
    return found


def _ir() -> Any:
    from iree.compiler import ir

    return ir
