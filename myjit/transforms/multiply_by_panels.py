"""Give dispatches around a matrix product code of our own on the CPU, with what IREE has fused into them.

IREE multiplies from where matrices lie, which is slow where they lie across vectors, or packs both into
memory before. MKL has no code for the vectors of some processors, joins its threads once more for each
product, and leaves what follows to a kernel of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.errors import CodegenError
from myjit.mlir.context import bindings
from myjit.mlir.dispatches import leave_as_written, set_workgroups, vector_kernels
from myjit.mlir.loops import Loops
from myjit.mlir.matrix_kernel import MatrixKernel
from myjit.mlir.operations import operations, symbol_name
from myjit.mlir.panel_kernel import Output, PanelKernel
from myjit.mlir.panels import CONVOLUTIONS, Registers, multiplies, multiplies_matrices, panels
from myjit.mlir.sums_of_products import Sums, sums
from myjit.mlir.tile_memories import LOAD, has_rows
from myjit.mlir.tile_values import TileValues, loops_after
from myjit.mlir.vector_code import VectorCode
from myjit.passes.base import Pass
from myjit.transforms.channels_last import ChannelsLast

_STORE = "iree_codegen.store_to_buffer"
#: IREE's codegen pipelines for products, and for convolutions.
_BY_IREE = ("DoubleTilingExpert", "ConvTileAndDecomposeExpert")
#: What may stand beside loops: where tensors lie.
_PLACES = (
    *("arith.constant", "arith.index_cast", "arith.index_castui", "util.assume.int", "memref.subview"),
    *("hal.interface.constant.load", "hal.interface.binding.subspan", LOAD, "tensor.empty", "func.return"),
)


@dataclass(frozen=True)
class MultiplyByPanels(Pass):
    """Write out dispatches of a product of float32, or of bfloat16 where processors multiply it.

    Raises:
        CodegenError: one holds loops of a convolution (`convolutions-to-loops`) that cannot be written out.
    """

    IS_TUNING: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Rewrite kernels, and how many workgroups there are of them, in place."""
        waiting = CONVOLUTIONS in module.operation.attributes
        for variant, function, has in list(vector_kernels(module, _BY_IREE)):
            found = _find(function, has)
            if found:
                set_workgroups(variant, symbol_name(function), _write(function, found, has))
            elif waiting and any(_is_convolution(op) for op in operations(function)):
                error = CodegenError(f"panels do not compute what follows in {symbol_name(function)}")
                error.without = "convolutions-to-loops"
                raise error


def _is_convolution(op: Any) -> bool:
    """Tell whether an operation is a dense convolution's loops, other than those that IREE compiles well.

    Those are of few channels, with the kernel's outputs side by side (`channels-last`).
    """
    loops = Loops(op)
    if op.name != "linalg.generic" or len(op.operands) != 3 or not loops.factors():
        return False
    first, second, result = loops.along()
    image, kernel = (first, second) if -1 in first else (second, first)
    is_dense = any(loop in kernel and loop not in image for loop in result)
    if -1 not in image or not is_dense:
        return False
    extents = loops.extents()
    channels = math.prod(extents[loop] for loop in image if loop >= 0 and loop not in result)
    return kernel[-1] not in result or channels > ChannelsLast.few


@dataclass(frozen=True)
class _Found:
    """Sums whose dispatch can be written out, where their sides lie, and what the dispatch gives."""

    sums: Sums
    memories: list[Any]
    values: TileValues
    outputs: list[Output]


def _find(function: Any, has: Registers) -> _Found | None:
    ops = [op.operation for op in function.regions[0].blocks[0]]
    loops = [op for op in ops if op.name.startswith("linalg.")]
    products = [op for op in loops if "reduction" in Loops(op).iterators]
    if len(products) != 1 or any(op.name not in (*_PLACES, _STORE) for op in ops if op not in loops):
        return None
    (product,) = products
    result = Loops(product).along()[2:]
    if len(result) != 1 or not all(side.owner.name == LOAD for side in list(product.operands)[:2]):
        return None
    memories = [side.owner.operands[0] for side in list(product.operands)[:2]]
    after = loops_after(product, result[0])
    stores = [op.operands for op in ops if op.name == _STORE]
    if not all(after.get(tensor) and has_rows(memory) for tensor, memory in stores):
        return None
    outputs = [Output(tensor, memory, tuple(after[tensor])) for tensor, memory in stores]
    # Rather with the columns along the result's vectors.
    for column in dict.fromkeys([*(output.along[-1] for output in outputs), *reversed(result[0])]):
        found = sums(product, column, memories) if column >= 0 else None
        if found is not None and multiplies(found, has):
            dispatch = _dispatch(found, memories, outputs)
            if dispatch is not None:
                return dispatch
    return None


def _dispatch(found: Sums, memories: list[Any], outputs: list[Output]) -> _Found | None:
    """Return a dispatch of sums if all that it gives can be computed by vectors, of columns or of rows."""
    inner = found.column if outputs[0].along[-1] == found.column else found.rows[-1]
    values = TileValues(found.operation, inner)
    wanted = [(found.operation.operands[2], found.result)]
    wanted += [(output.tensor, output.along) for output in outputs]
    by_vectors = memories if found.element == "bf16" else [memories[found.right]]
    if not all(map(has_rows, by_vectors)) or any(output.along[-1] != inner for output in outputs):
        return None
    return _Found(found, memories, values, outputs) if all(values.can(*each) for each in wanted) else None


def _write(function: Any, found: _Found, has: Registers) -> int:
    """Write a dispatch out and return how many workgroups it has."""
    ir = bindings(function).ir
    for dialect in ("arith", "llvm", "memref", "scf", "vector"):
        function.context.dialects[dialect]  # loads it
    *ops, end = (op.operation for op in function.regions[0].blocks[0])
    cut = panels(found.sums, has)
    groups = cut.panels * cut.chunks * found.sums.count(found.sums.batch)
    with found.sums.operation.location, ir.InsertionPoint(end):
        code = VectorCode(ir, cut.width)
        kernel = MatrixKernel if multiplies_matrices(found.sums, has) else PanelKernel
        kernel(code, found.sums, found.memories, cut, found.values).write(found.outputs)
    leave_as_written(function, ops)
    return groups
