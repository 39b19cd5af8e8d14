"""Keep reductions apart from what uses their results: in one kernel IREE's SPIR-V code is wrong for some.

It hands out the loops of all operations of a kernel alike, in whatever order each has them: `x / x.sum(0)` of
a 64×64 matrix came out with four rows written of 64 (IREE 3.13, without a word). Remove when
tests/transforms/test_separate_reductions.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.mlir.tensors import dynamic_sizes
from myjit.passes.base import FunctionPass

#: Operations of linalg that reduce nothing, and products of matrices, whose kernels come out right.
_WHOLE = {
    *("linalg.fill", "linalg.copy", "linalg.transpose", "linalg.broadcast", "linalg.map", "linalg.pack"),
    *("linalg.unpack", "linalg.index", "linalg.yield", "linalg.matmul", "linalg.batch_matmul"),
}


@dataclass(frozen=True)
class SeparateReductions(FunctionPass):
    """Put a barrier behind each reduction, convolution and pooling whose result is computed with."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of an IREE-side module in place."""
        ir = bindings(function).ir
        for dialect in ("arith", "flow", "tensor", "util"):
            function.context.dialects[dialect]  # loads it
        for op in [op for op in operations(function) if _reduces(op)]:
            for result in op.results:
                if any(use.owner.name != "func.return" for use in result.uses):
                    _put_barrier(ir, result)


def _reduces(op: Any) -> bool:
    if op.name == "linalg.generic":
        return "reduction" in str(op.attributes["iterator_types"])
    return op.name.startswith("linalg.") and op.name not in _WHOLE


def _put_barrier(ir: Any, result: Any) -> None:
    """Give every use of a tensor the same as the compiler cannot look through, its sizes noted."""
    kind = ir.RankedTensorType(result.type)
    with ir.InsertionPoint.after(result.owner), result.owner.location:
        sizes = dynamic_sizes(result)
        barrier = ir.Operation.create("util.optimization_barrier", [kind], [result])
        tied = ir.Operation.create("flow.tensor.tie_shape", [kind], [barrier.results[0], *sizes])
    own = [size.owner.operation for size in sizes]
    result.replace_all_uses_except(tied.results[0], [barrier, *own])
