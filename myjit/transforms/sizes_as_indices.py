"""Compute sizes and offsets as indices, where torch-mlir computes them in 64 bits and casts the result.

IREE copies arithmetic on integers into the kernel that slices by it, but not that on indices, and then takes
the slices for whole rows: it refused `y[:, 1:] - y[:, :-1]` where `y` and its size are computed (IREE 3.13;
remove when tests/transforms/test_sizes_as_indices.py passes without).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.tensors import constant
from myjit.passes.pattern import PatternPass, pattern

#: What gives the same number on 64 bits and on indices, which have as many.
_ARITHMETIC = ("arith.addi", "arith.subi", "arith.muli", "arith.minsi", "arith.maxsi", "arith.select")


@dataclass(frozen=True)
class SizesAsIndices(PatternPass):
    """Cast the operands of arithmetic to indices in place of its result."""

    @pattern("arith.index_cast")
    def index_cast(self, op: Any, rewriter: Any) -> Any:
        """Build the arithmetic on indices, or nothing."""
        ir = bindings(op).ir
        index = ir.IndexType.get()
        (value,) = op.operands
        source = getattr(value.owner, "operation", value.owner)
        if op.results[0].type != index or str(value.type) != "i64" or isinstance(source, ir.Block):
            return None
        if source.name == "arith.constant":
            return constant(ir, index, ir.IntegerAttr.get(index, source.attributes["value"].value))
        if source.name not in _ARITHMETIC:
            return None
        operands = [
            ir.Operation.create("arith.index_cast", [index], [v]).results[0] if v.type == value.type else v
            for v in source.operands
        ]
        return ir.Operation.create(source.name, [index], operands)
