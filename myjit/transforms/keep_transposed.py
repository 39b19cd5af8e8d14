"""Have products read a transposed side where it lies: queries by the keys of each head.

IREE puts transposes into products itself, but not those of tensors whose outer dimensions are made one in
between. Of a single query the transpose takes longer than all the rest of an attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.structured import collapse, multiply_add, structured
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class KeepTransposed(FunctionPass):
    """Rewrite `linalg.batch_matmul` of float32 whose right matrices are transposed before."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of a linalg module in place."""
        ir = bindings(function).ir
        for op in [op.operation for op in function.regions[0].blocks[0]]:
            if op.name == "linalg.batch_matmul" and Loops(op).element_types()[0] == "f32":
                with ir.InsertionPoint(op), op.location:
                    right = _as_it_lies(op.operands[1])
                    if right is not None:
                        op.results[0].replace_all_uses_with(_by_transposed(ir, op, right))
                        op.erase()


def _as_it_lies(right: Any) -> Any:
    """Build the right side before its matrices were transposed; None where they were not, or otherwise."""
    collapsed = right.owner
    if getattr(collapsed, "name", "") != "tensor.collapse_shape":
        return None
    transposed = collapsed.operands[0].owner
    groups = [[each.value for each in group] for group in collapsed.attributes["reassociation"]]
    if getattr(transposed, "name", "") != "linalg.transpose" or [len(group) for group in groups[1:]] != [
        1,
        1,
    ]:
        return None
    *outer, row, column = list(transposed.attributes["permutation"])
    last = len(outer)
    if outer != list(range(last)) or (row, column) != (last + 1, last):
        return None
    return collapse(transposed.operands[0], groups)


def _by_transposed(ir: Any, op: Any, right: Any) -> Any:
    batch, row, column, depth = (ir.AffineDimExpr.get(i) for i in range(4))
    tensors = ([batch, row, depth], [batch, column, depth], [batch, row, column])
    maps = [ir.AffineMapAttr.get(ir.AffineMap.get(4, 0, each)) for each in tensors]
    attributes = {"indexing_maps": ir.ArrayAttr.get(maps)}
    left, _, init = op.operands
    return structured("linalg.batch_matmul", [left, right], init, attributes, multiply_add)
