"""Read diagonals and windows apart from reductions of them: `x.diagonal().sum()`.

IREE puts the reading into the kernel of the reduction, and its GPU code generator adds up the wrong elements
(IREE 3.13; remove when tests/transforms/test_separate_diagonals.py passes without).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.loops import Loops
from myjit.mlir.memory import is_tensor
from myjit.mlir.operations import operations
from myjit.mlir.tensors import compute_apart
from myjit.passes.base import Pass, functions

_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.cast")
_REORDERED = ("linalg.transpose", "linalg.broadcast")


@dataclass(frozen=True)
class SeparateDiagonals(Pass):
    """Put a barrier behind loops that read along several dimensions at once and are reduced."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for function in functions(module):
            for op in [op for op in operations(function) if _reads_across(op)]:
                if _is_reduced(op.results[0]):
                    compute_apart(op.results[0])


def _reads_across(op: Any) -> bool:
    """Tell whether an operation is parallel loops that read otherwise than dimension by dimension."""
    return _is_parallel(op) and any(not m.is_projected_permutation for m in Loops(op).maps())


def _is_parallel(op: Any) -> bool:
    return op.name == "linalg.generic" and "reduction" not in Loops(op).iterators


def _is_reduced(value: Any) -> bool:
    """Tell whether a reduction's kernel may compute a tensor: by way of parallel loops and views."""
    waiting, seen = [value], set()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for op in (use.owner for use in current.uses):
            if op.name in (*_RESHAPES, *_REORDERED) or _is_parallel(op):
                waiting += [result for result in op.results if is_tensor(result)]
            elif op.name.startswith(("linalg.", "iree_linalg_ext.")):
                return True
    return False
