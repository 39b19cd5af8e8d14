"""Keep reads of tensors by place within them, where a GPU's threads share out a row of unknown length.

The code generator gives 4096 elements of a row to a workgroup, and hides what lies beyond the row from sums
and from reads in order, but not from reads by place: `(x[0] - x.flip(1)).sum(1)` of changing sizes read up to
16 kB before its tensor, which ended the CUDA context where nothing lies there (IREE 3.13). What is read for
nothing may be any element. Remove when tests/transforms/test_read_within.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir import tensors
from myjit.mlir.context import bindings
from myjit.mlir.dispatches import is_compiled_by
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class ReadWithin(Pass):
    """Bound the places that `tensor.extract` reads in dispatches that hand out rows as vectors."""

    def run(self, module: Any) -> None:
        """Rewrite the loops of a module's kernels in place."""
        for function in operations(module.operation):
            if is_compiled_by(function, "VectorDistribute"):
                for op in [op for op in operations(function) if op.name == "linalg.generic"]:
                    if -1 in Loops(op).extents():
                        _bound(op)


def _bound(generic: Any) -> None:
    ir = bindings(generic).ir
    for read in [op for op in operations(generic) if op.name == "tensor.extract"]:
        tensor, *places = read.operands
        for dim, place in enumerate(places):
            with ir.InsertionPoint(generic), read.location:
                size = tensors.size(tensor, dim)
                one = tensors.index(ir, 1)
                size = tensors.index(ir, size) if isinstance(size, int) else size
                last = ir.Operation.create("arith.subi", [one.type], [size, one]).results[0]
                first = tensors.index(ir, 0)
            with ir.InsertionPoint(read), read.location:
                least = ir.Operation.create("arith.minsi", [one.type], [place, last])
                within = ir.Operation.create("arith.maxsi", [one.type], [least.results[0], first])
            read.operands[dim + 1] = within.results[0]
