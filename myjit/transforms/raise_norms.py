"""Raise layer normalisation and RMS normalisation over the last dimension to the `fused` dialect.

Weights and biases stay operations of their own. Models in a half type normalise in f32: then the
operation is between their casts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.torch_matching import (
    difference,
    either_order,
    is_last,
    made_by,
    mean_of_rows,
    numbers,
    plain,
    plus_number,
    same,
    square_of,
    uncast,
)
from myjit.passes.pattern import pattern
from myjit.passes.raising import RaisingPass, build


@dataclass(frozen=True)
class RaiseNorms(RaisingPass):
    """Raise layer_norm and rms_norm."""

    @pattern("torch.aten.mul.Tensor")
    def product(self, op: Any, rewriter: Any) -> Any:
        """X * rsqrt(v + epsilon)."""
        for x, factor in either_order(op.operation):
            below = _inverse_root(factor)
            found = _norm(x, below, op.operation.results[0].type)
            if found is not None:
                return found
        return None

    @pattern("torch.aten.div.Tensor")
    def quotient(self, op: Any, rewriter: Any) -> Any:
        """X / sqrt(v + epsilon)."""
        x, below = op.operation.operands
        return _norm(x, _root(below), op.operation.results[0].type)


def _norm(x: Any, below: tuple[Any, float] | None, result: Any) -> Any:
    if below is None or below[1] < 0:
        return None
    spread, epsilon = below
    centre = _centred(x)
    if same(centre, _varied(spread)) and centre.type == result:
        return build("layer_norm", result, [centre], epsilon=epsilon)
    mean = mean_of_rows(spread)
    squared = square_of(mean) if mean is not None else None
    if squared is None or uncast(squared) != uncast(x) or squared.type != result:
        return None
    return build("rms_norm", result, [squared], epsilon=epsilon)


def _varied(value: Any) -> Any:
    """Return x where `value` is the variance of its rows, without correction."""
    mean = mean_of_rows(value)
    if mean is not None:
        squared = square_of(mean)
        return _centred(squared) if squared is not None else None
    whole = made_by(plain(value), "var.correction", "var_mean.correction")
    if whole is None or whole.results[0] != plain(value):
        return None
    x, dims, correction, keep = whole.operands
    rows = is_last(numbers(dims), x) and constant_of(correction) == 0 and constant_of(keep) == 1
    return x if rows else None


def _centred(value: Any) -> Any:
    """Return x where `value` is x less the mean of its rows."""
    both = difference(value)
    if both is None:
        return None
    x, mean = both
    if same(mean_of_rows(mean), x):
        return x
    whole = made_by(plain(mean), "var_mean.correction")
    if whole is None or whole.results[1] != plain(mean) or whole.operands[0] != x:
        return None
    return x if is_last(numbers(whole.operands[1]), x) and constant_of(whole.operands[3]) == 1 else None


def _inverse_root(value: Any) -> tuple[Any, float] | None:
    """Return v and epsilon where `value` is 1 / sqrt(v + epsilon)."""
    root = made_by(plain(value), "rsqrt")
    if root is not None:
        return plus_number(root.operands[0])
    power = made_by(plain(value), "pow.Tensor_Scalar")
    if power is not None and constant_of(power.operands[1]) == -0.5:
        return plus_number(power.operands[0])
    turned = made_by(plain(value), "reciprocal")
    return _root(turned.operands[0]) if turned is not None else None


def _root(value: Any) -> tuple[Any, float] | None:
    """Return v and epsilon where `value` is sqrt(v + epsilon)."""
    root = made_by(plain(value), "sqrt")
    if root is not None:
        return plus_number(root.operands[0])
    power = made_by(plain(value), "pow.Tensor_Scalar")
    if power is None or constant_of(power.operands[1]) != 0.5:
        return None
    return plus_number(power.operands[0])
