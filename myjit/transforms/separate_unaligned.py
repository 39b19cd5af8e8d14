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
from myjit.mlir.slices import begins_within_vector, mixed
from myjit.mlir.tensors import computed_apart
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
                    _read_apart(op.results[0])


def _is_unaligned(op: Any) -> bool:
    kind = bindings(op).ir.RankedTensorType
    if op.name == _PAD:
        source, whole = (_shape(kind(each.type)) for each in (op.operands[0], op.results[0]))
        return begins_within_vector(whole, mixed(op, "low", 1), [n if n >= 0 else None for n in source])
    first = 1 if op.name == _SLICE else 2
    whole = _shape(kind(op.operands[first - 1].type))
    return begins_within_vector(whole, mixed(op, "offsets", first), mixed(op, "sizes", first + 1))


def _shape(kind: Any) -> list[int]:
    return [-1 if kind.is_dynamic_dim(dim) else kind.get_dim_size(dim) for dim in range(kind.rank)]


def _read_apart(part: Any) -> None:
    """Have all but copies read a copy of a slice."""
    readers = [(use.owner, use.operand_number) for use in part.uses if use.owner.name != _INSERT]
    if readers:
        with bindings(part).ir.InsertionPoint.after(part.owner), part.owner.location:
            apart = computed_apart(part)
        for reader, place in readers:
            reader.operands[place] = apart
