"""Raise softmax to the `fused` dialect: PyTorch's own, and exp(x - max(x)) over its sum.

A sum of exponentials without the maximum subtracted stays: it overflows where a softmax does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.torch_dialect import TensorType
from myjit.mlir.torch_matching import (
    difference,
    either_order,
    filled_with,
    keeps,
    made_by,
    numbers,
    plain,
    uses,
)
from myjit.passes.pattern import pattern
from myjit.passes.raising import RaisingPass, build


@dataclass(frozen=True)
class RaiseSoftmax(RaisingPass):
    """Raise softmax, and safe_softmax where rows of -inf are made zeros."""

    @pattern("torch.aten._softmax")
    def whole(self, op: Any, rewriter: Any) -> Any:
        """Take PyTorch's own softmax."""
        x, dim, to_float = op.operation.operands
        kind, number = TensorType.of(x.type), constant_of(dim)
        if kind is None or not kind.shape or 0 in kind.shape or constant_of(to_float):
            return None
        if not isinstance(number, int) or x.type != op.operation.results[0].type:
            return None
        return build("softmax", x.type, [x], dim=number % len(kind.shape))

    @pattern("torch.aten.div.Tensor")
    def quotient(self, op: Any, rewriter: Any) -> Any:
        """Weights over their sum."""
        return _softmax(*op.operation.operands)

    @pattern("torch.aten.mul.Tensor")
    def product(self, op: Any, rewriter: Any) -> Any:
        """Weights times one over their sum."""
        for weights, factor in either_order(op.operation):
            below = made_by(plain(factor), "reciprocal")
            found = _softmax(weights, below.operands[0]) if below is not None else None
            if found is not None:
                return found
        return None


def _softmax(weights: Any, total: Any) -> Any:
    grown = made_by(plain(weights), "exp")
    total, guarded = _guarded(total, 0.0, 1.0)
    summed = made_by(total, "sum.dim_IntList")
    both = difference(grown.operands[0]) if grown is not None else None
    if summed is None or both is None or not keeps(summed) or plain(summed.operands[0]) != plain(weights):
        return None
    # What else uses the weights or their sum (a gradient, say) would compute them once more.
    if uses(plain(weights)) != 2 or uses(total) != 1 + guarded:
        return None
    x, most = both
    rank = len(getattr(TensorType.of(x.type), "shape", ()))
    dim = numbers(summed.operands[1])[0] % rank
    most, safe = _guarded(most, -math.inf, 0.0)
    greatest = made_by(most, "amax")
    if greatest is None or greatest.operands[0] != x or not keeps(greatest, dim) or safe != guarded:
        return None
    return build("safe_softmax" if safe else "softmax", x.type, [x], dim=dim)


def _guarded(value: Any, number: float, instead: float) -> tuple[Any, bool]:
    """Return v and True where `value` is v with another number in place of `number`, else itself."""
    value = plain(value)
    chosen = made_by(value, "where.self")
    if chosen is None:
        return value, False
    condition, first, second = chosen.operands
    second = plain(second)
    equal = made_by(plain(condition), "eq.Scalar")
    is_guard = equal is not None and plain(equal.operands[0]) == second and filled_with(first) == instead
    if equal is None or not is_guard or constant_of(equal.operands[1]) != number:
        return value, False
    return second, True
