"""Write a tensor inside of a constant one as padding, which is what it is.

IREE merges such a slice with what computes the tensor, once it has dropped the dimensions of size one, and
then takes one dimension for another: a transposed convolution after a pooling or a grouped convolution
came out wrong and wrote outside of its memory (IREE 3.13; its own padding goes another way). Remove when
tests/transforms/test_pad_slices.py passes without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.mlir.tensors import index, size
from myjit.passes.base import Pass, functions

#: How MLIR writes, among static sizes, one that is given as an operand.
_DYNAMIC = -(2**63)


@dataclass(frozen=True)
class PadSlices(Pass):
    """Replace `tensor.insert_slice` into a filled tensor, in steps of one, by `tensor.pad`."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        ir = bindings(module).ir
        for dialect in ("arith", "tensor"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            for op in list(operations(function)):
                if op.name == "tensor.insert_slice" and _is_padding(ir, op):
                    op.results[0].replace_all_uses_with(_pad(ir, op))
                    op.erase()


def _is_padding(ir: Any, op: Any) -> bool:
    source, target = (ir.RankedTensorType(value.type) for value in list(op.operands)[:2])
    steps = list(op.attributes["static_strides"])
    filled = getattr(op.operands[1].owner, "name", "") == "linalg.fill"
    return filled and source.rank == target.rank and all(step == 1 for step in steps)


def _pad(ir: Any, op: Any) -> Any:
    """Build the padding that stands for a slice: as much as is free before and after it."""
    source, target = op.operands[0], op.operands[1]
    count = list(op.attributes["operandSegmentSizes"])[2]
    given = iter(list(op.operands)[2 : 2 + count])
    with ir.InsertionPoint(op), op.location:
        low: list[Any] = []
        high: list[Any] = []
        for dim, static in enumerate(op.attributes["static_offsets"]):
            offset = next(given) if static == _DYNAMIC else static
            low.append(offset)
            high.append(_minus(ir, _minus(ir, size(target, dim), offset), size(source, dim)))
        return _create(ir, op, low, high)


def _create(ir: Any, op: Any, low: list[Any], high: list[Any]) -> Any:
    source, kind = op.operands[0], op.results[0].type
    moving = [[v for v in side if not isinstance(v, int)] for side in (low, high)]
    static = [[v if isinstance(v, int) else _DYNAMIC for v in side] for side in (low, high)]
    pad = ir.Operation.create(
        "tensor.pad",
        [kind],
        [source, *moving[0], *moving[1]],
        {
            "static_low": ir.DenseI64ArrayAttr.get(static[0]),
            "static_high": ir.DenseI64ArrayAttr.get(static[1]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(moving[0]), len(moving[1])]),
        },
        regions=1,
    )
    kind, location = ir.IndexType.get(), ir.Location.current
    block = pad.regions[0].blocks.append(*[kind] * len(low), arg_locs=[location] * len(low))
    with ir.InsertionPoint(block):
        ir.Operation.create("tensor.yield", [], [op.operands[1].owner.operands[0]])
    return pad.results[0]


def _minus(ir: Any, left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return left - right
    operands = [index(ir, v) if isinstance(v, int) else v for v in (left, right)]
    return ir.Operation.create("arith.subi", [ir.IndexType.get()], operands).results[0]
