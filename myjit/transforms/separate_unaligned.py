"""Copy slices that begin within a vector apart from what is computed of them: `x[:, 1:5] * 2`.

IREE's code for SPIR-V takes the rows of tensors for vectors of four elements where their sizes allow that,
and counts the place where a slice begins in whole vectors: of `x[:, 1:5] * 2` with rows of eight came out
`x[:, 0:4] * 2`, and what was padded by one element was padded by none (IREE 3.13, without a word). Its copies
go element by element. `refuse-unaligned` fails where something is left. Remove both when
tests/transforms/test_separate_unaligned.py passes without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.mlir.slices import begins_within_vector, mixed, where, whole_type
from myjit.mlir.tensors import compute_apart, computed_apart
from myjit.passes.base import Pass, functions

_SLICE, _INSERT, _PAD = "tensor.extract_slice", "tensor.insert_slice", "tensor.pad"


@dataclass(frozen=True)
class SeparateUnaligned(Pass):
    """Put a barrier behind such slices, and before what is written into such slices or padded."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for function in functions(module):
            for op in list(operations(function)):
                if op.name in (_INSERT, _PAD) and _is_unaligned(op):
                    with bindings(op).ir.InsertionPoint(op), op.location:
                        op.operands[0] = computed_apart(op.operands[0])
                elif op.name == _SLICE and _is_unaligned(op):
                    compute_apart(op.results[0], but_for=_INSERT)  # which copies


def _is_unaligned(op: Any) -> bool:
    if op.name != _PAD:
        offsets, sizes, _ = where(op)
        return begins_within_vector(whole_type(op).shape, offsets, sizes)
    kind = bindings(op).ir.RankedTensorType
    source, whole = (kind(each.type).shape for each in (op.operands[0], op.results[0]))
    return begins_within_vector(whole, mixed(op, "low", 1), [n if n >= 0 else None for n in source])
