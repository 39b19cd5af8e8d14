"""Keep negated parts apart from what they are put together with, unless halves are rotated: `cat(-b, a)`.

IREE takes `cat(-x[i], x[j])` for the rotation of the two halves of `x` wherever the result has the type of
`x`. It asks neither where the slices begin, nor in which steps they go, nor how many elements of changing
sizes they have: `cat(-x[..., :n], x[..., n:])` had its halves exchanged, without a word (IREE 3.13, its pass
RaiseSpecialOps). Remove when tests/transforms/test_separate_negated.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.bodies import yielded
from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.slices import where
from myjit.mlir.tensors import computed_apart
from myjit.passes.base import FunctionPass

#: What IREE may move, or draw into the loops that negate.
_VIEWS = ("tensor.cast", "tensor.collapse_shape", "tensor.expand_shape", "linalg.transpose")


@dataclass(frozen=True)
class SeparateNegated(FunctionPass):
    """Put a barrier behind what is negated where a slice is put behind it."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of an IREE-side module in place."""
        for op in operations(function):
            is_mistaken = _MISTAKEN.get(op.name)
            if is_mistaken is not None and is_mistaken(op):
                with bindings(op).ir.InsertionPoint(op), op.location:
                    op.operands[0] = computed_apart(op.operands[0])


def _concatenates(op: Any) -> bool:
    """Tell whether a concatenation may be taken for a rotation, and is none."""
    if len(op.operands) != 2 or op.operands[0].type != op.operands[1].type:
        return False
    negated, behind = (_maker(part) for part in op.operands)
    return _negates(negated) and _name(behind) == "tensor.extract_slice" and not _rotates(op)


def _inserts(op: Any) -> bool:
    """Tell whether what is written into a tensor is negated in another order: IREE compares places alone."""
    negated = _maker(op.operands[0])
    return _negates(negated) and not _keeps_order(op.operands[0].owner)


_MISTAKEN = {"tensor.concat": _concatenates, "tensor.insert_slice": _inserts}


def _maker(value: Any) -> Any:
    """Return what makes a value, before its elements are moved."""
    op = value.owner
    while _name(op) in _VIEWS or (_name(op) == "linalg.generic" and _moves(op)):
        op = op.operands[0].owner
    return op


def _moves(op: Any) -> bool:
    """Tell whether loops only move elements of their first operand."""
    return len(op.results) == 1 and yielded(op) == op.regions[0].blocks[0].arguments[0]


def _negates(op: Any) -> bool:
    """Tell whether an operation does nothing but to negate the elements of a tensor."""
    if _name(op) != "linalg.generic" or len(op.operands) != 2:
        return False
    last = yielded(op).owner
    return _name(last) == "arith.negf" and last.operands[0] == op.regions[0].blocks[0].arguments[0]


def _keeps_order(op: Any) -> bool:
    """Tell whether an operation negates each element in its place."""
    return _negates(op) and Loops(op).keeps_order()


def _rotates(concat: Any) -> bool:
    """Tell whether the two parts are the second and the first half of a tensor, along the last dimension."""
    negated, behind = (part.owner for part in concat.operands)
    if not _keeps_order(negated):
        return False
    slices = (behind, negated.operands[0].owner)
    if any(_name(each) != "tensor.extract_slice" for each in slices):
        return False
    ir = bindings(concat).ir
    whole, other = (each.operands[0] for each in slices)
    kind = ir.RankedTensorType(whole.type)
    last = kind.rank - 1
    if other != whole or kind.is_dynamic_dim(last) or concat.results[0].type != kind:
        return False
    half = kind.get_dim_size(last) // 2
    for op, start in zip(slices, (0, half), strict=True):
        offsets, sizes, steps = where(op)
        if offsets != [0] * last + [start] or steps != [1] * kind.rank or sizes[last] != half:
            return False
        if not all(_is_size(whole, dim, sizes[dim]) for dim in range(last)):
            return False
    return True


def _is_size(tensor: Any, dim: int, size: Any) -> bool:
    """Tell whether a number, or a value, is the size of a tensor's dimension."""
    kind = bindings(tensor).ir.RankedTensorType(tensor.type)
    if not kind.is_dynamic_dim(dim):
        return bool(size == kind.get_dim_size(dim))
    if isinstance(size, int) or _name(size.owner) != "tensor.dim" or size.owner.operands[0] != tensor:
        return False
    return bool(constant_of(size.owner.operands[1]) == dim)


def _name(owner: Any) -> str:
    return getattr(owner, "name", "")
