"""Give dispatches around a matrix product code of our own on the CPU, with what IREE has fused into them.

IREE multiplies from where matrices lie, which is slow where they lie across vectors, or packs both into
memory before. MKL has no code for the vectors of some processors, joins its threads once more for each
product, and leaves what follows to a kernel of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.dispatches import is_compiled_by, set_workgroups
from myjit.mlir.operations import operations, symbol_name, variants
from myjit.mlir.panel_kernel import Output, PanelKernel
from myjit.mlir.panels import Registers, multiplies, panels, registers
from myjit.mlir.products import Product, product
from myjit.mlir.tile_values import LOAD, TileValues, has_rows, loops_after
from myjit.mlir.vector_code import VectorCode
from myjit.passes.base import Pass

_STORE = "iree_codegen.store_to_buffer"
#: What may stand beside loops: where tensors lie.
_PLACES = (
    *("arith.constant", "arith.index_cast", "arith.index_castui", "util.assume.int", "memref.subview"),
    *("hal.interface.constant.load", "hal.interface.binding.subspan", LOAD, "tensor.empty", "func.return"),
)


@dataclass(frozen=True)
class MultiplyByPanels(Pass):
    """Write out dispatches of a product of float32, or of bfloat16 where processors multiply it."""

    IS_TUNING: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Rewrite kernels, and how many workgroups there are of them, in place."""
        for variant in variants(module):
            has = registers(variant.parent)
            if has is None:
                continue
            for function in [op for op in operations(variant) if is_compiled_by(op, "DoubleTilingExpert")]:
                found = _find(function, has)
                if found:
                    set_workgroups(variant, symbol_name(function), _write(function, found, has))


@dataclass(frozen=True)
class _Found:
    """A product whose dispatch can be written out, the loop along vectors, and what the dispatch gives."""

    product: Product
    column: int
    values: TileValues
    outputs: list[Output]

    @property
    def row(self) -> int:
        return self.product.row if self.column == self.product.column else self.product.column


def _find(function: Any, has: Registers) -> _Found | None:
    ops = [op.operation for op in function.regions[0].blocks[0]]
    loops = [op for op in ops if op.name.startswith("linalg.")]
    products = [found for op in loops if (found := product(op))]
    if len(products) != 1 or any(op.name not in (*_PLACES, _STORE) for op in ops if op not in loops):
        return None
    (found,) = products
    after = loops_after(found.operation, found.tensors[2])
    stores = [op.operands for op in ops if op.name == _STORE]
    if not all(tensor in after and has_rows(memory) for tensor, memory in stores):
        return None
    outputs = [Output(tensor, memory, tuple(after[tensor])) for tensor, memory in stores]
    inner = {output.along[-1] for output in outputs}
    if inner not in ({found.column}, {found.row}):
        return None
    (column,) = inner
    dispatch = _Found(found, column, TileValues(found.operation, column), outputs)
    left, right, start = found.operation.operands
    wanted = [(start, found.tensors[2]), *((output.tensor, output.along) for output in outputs)]
    is_direct = all(side.owner.name == LOAD and has_rows(side.owner.operands[0]) for side in (left, right))
    if not is_direct or not multiplies(found, has, row=dispatch.row):
        return None
    return dispatch if all(dispatch.values.can(*each) for each in wanted) else None


def _write(function: Any, found: _Found, has: Registers) -> int:
    """Write a dispatch out and return how many workgroups it has."""
    ir = bindings(function).ir
    for dialect in ("arith", "llvm", "memref", "scf", "vector"):
        function.context.dialects[dialect]  # loads it
    *ops, end = (op.operation for op in function.regions[0].blocks[0])
    cut = panels(found.product, has, row=found.row)
    groups = cut.panels * cut.chunks * found.product.count(found.product.batch)
    with found.product.operation.location, ir.InsertionPoint(end):
        code = VectorCode(ir, cut.width)
        PanelKernel(code, found.product, found.column, cut, found.values).write(found.outputs)
    for op in reversed(ops):
        if op.name == "util.assume.int":  # which only a pipeline of IREE's takes out
            for result, operand in zip(op.results, op.operands, strict=True):
                result.replace_all_uses_with(operand)
        if op.name == _STORE or not any(list(result.uses) for result in op.results):
            op.erase()
    none = "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline>"
    function.attributes["translation_info"] = ir.Attribute.parse(none)
    return groups
