"""Keep reductions apart from what uses their results: in one kernel IREE's SPIR-V code is wrong for some.

It hands out the loops of all operations of a kernel alike, in whatever order each has them: `x / x.sum(0)` of
a 64×64 matrix came out with four rows written of 64 (IREE 3.13, without a word). Remove when
tests/transforms/test_separate_reductions.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.operations import operations
from myjit.mlir.tensors import compute_apart
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
        for op in [op for op in operations(function) if _reduces(op)]:
            for result in op.results:
                if any(use.owner.name != "func.return" for use in result.uses):
                    compute_apart(result)


def _reduces(op: Any) -> bool:
    if op.name == "linalg.generic":
        return "reduction" in str(op.attributes["iterator_types"])
    return op.name.startswith("linalg.") and op.name not in _WHOLE
