"""Read and write the code generator's configurations of dispatches, which IREE's bindings hold as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations, variants
from myjit.mlir.panels import Registers, registers
from myjit.mlir.tensors import index

_LISTS = re.compile(r"(\w+) = \[([\d, ]*)\]")
_TRANSLATION = "translation_info"
_PEELING = "enable_loop_peeling"
_PREFIX = "#iree_cpu.lowering_config<"

#: Tiling levels, as IREE names them: what a workgroup takes, and of that vectors.
WORKGROUP = "distribution"
COMMON, INNER, REDUCTION = "vector_common_parallel", "vector_inner_parallel", "vector_reduction"
VECTOR_LEVELS = (COMMON, INNER, REDUCTION)


@dataclass(frozen=True)
class Tiled(Loops):
    """An operation of a dispatch with the tile sizes that IREE has chosen for it, by tiling level."""

    tiles: dict[str, list[int]]

    def follows(self, product: Tiled) -> bool:
        """Tell whether an operation fills a product's result, or goes through it in its loops' order."""
        parallel = len(product.iterators) - 1
        if COMMON not in self.tiles or any(len(s) != parallel for s in self.tiles.values()):
            return False
        return self.operation.name == "linalg.fill" or self.is_elementwise()

    def write(self) -> None:
        """Put the tile sizes as they are now onto the operation."""
        lists = ", ".join(f"{name} = {sizes}" for name, sizes in self.tiles.items())
        attribute = bindings(self.operation).ir.Attribute
        self.operation.attributes["lowering_config"] = attribute.parse(f"{_PREFIX}{lists}>")


def dispatches(module: Any, pipeline: str) -> Iterator[list[Tiled]]:
    """Yield, for each dispatch that IREE's codegen pipeline `pipeline` will compile, its tiled operations.

    A dispatch that holds a linalg operation without tile sizes of its own is left out.
    """
    for op in operations(module.operation):
        if is_compiled_by(op, pipeline):
            tiled = _tiled(op)
            if tiled:
                yield tiled


def is_compiled_by(function: Any, pipeline: str) -> bool:
    """Tell whether an operation is a kernel that IREE's codegen pipeline `pipeline` will compile."""
    return function.name == "func.func" and f"<{pipeline}>" in str(function.attributes.get(_TRANSLATION, ""))


def vector_kernels(module: Any, pipelines: Sequence[str]) -> Iterator[tuple[Any, Any, Registers]]:
    """Yield the kernels that IREE's codegen pipelines will compile for processors whose vectors are known.

    Each with its executable variant, and what the processor has.
    """
    for variant in variants(module):
        has = registers(variant.parent)
        if has is not None:
            for function in list(operations(variant)):
                if any(is_compiled_by(function, each) for each in pipelines):
                    yield variant, function, has


def leave_as_written(function: Any, before: Sequence[Any]) -> None:
    """Have no pipeline of IREE's compile a kernel further, and erase what of its code before nothing uses."""
    for op in reversed(before):
        if op.name == "util.assume.int":  # which only a pipeline of IREE's takes out
            for result, operand in zip(op.results, op.operands, strict=True):
                result.replace_all_uses_with(operand)
        if not any(list(result.uses) for result in op.results):
            op.erase()
    none = "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline>"
    function.attributes[_TRANSLATION] = bindings(function).ir.Attribute.parse(none)


def set_workgroups(variant: Any, name: str, count: int) -> None:
    """Say how many workgroups there are of an executable variant's kernel `name`, in one row."""
    ir = bindings(variant).ir
    for op in operations(variant):
        named = op.attributes.get("sym_name" if op.name == "hal.executable.export" else "function_ref")
        if op.name not in ("hal.executable.export", "iree_codegen.dispatch_config") or named.value != name:
            continue
        (block,) = (block for region in op.regions for block in region)
        *before, end = (each.operation for each in block)
        with op.location, ir.InsertionPoint(end):
            for place, number in enumerate((count, 1, 1)):
                end.operands[place] = index(ir, number)
        for each in reversed(before):
            each.erase()


def take_single_rows(dispatch: Sequence[Tiled]) -> None:
    """Have a dispatch take one step at a time of the loops that all of its operations share."""
    for tiled in dispatch:
        if COMMON in tiled.tiles:
            tiled.tiles[COMMON] = [min(size, 1) for size in tiled.tiles[COMMON]]
            tiled.write()


def peel_loops(tiled: Tiled) -> None:
    """Have a dispatch go through what its loops leave over in loops of their own, not under masks."""
    function = tiled.operation.parent
    text = str(function.attributes[_TRANSLATION])
    if "{" not in text:
        attribute = bindings(tiled.operation).ir.Attribute
        peeled = f"{text.removesuffix('>')}, {{{_PEELING}}}>"
        function.attributes[_TRANSLATION] = attribute.parse(peeled)


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
