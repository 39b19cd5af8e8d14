"""Raise GELU and SiLU to the `fused` dialect: PyTorch's own, and written out by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.torch_matching import (
    close,
    either_order,
    factors,
    is_product,
    made_by,
    plain,
    plus_number,
    sum_of,
)
from myjit.passes.pattern import pattern
from myjit.passes.raising import RaisingPass, build


@dataclass(frozen=True)
class RaiseActivations(RaisingPass):
    """Raise gelu (by erf and by tanh) and silu."""

    @pattern("torch.aten.gelu")
    def gelu(self, op: Any, rewriter: Any) -> Any:
        """Take PyTorch's own gelu, in either form."""
        x, form = op.operation.operands
        made = form.owner.operation
        if made.name != "torch.constant.str":
            return None
        return build("gelu", x.type, [x], approximate=made.attributes["value"])

    @pattern("torch.aten.silu")
    def silu(self, op: Any, rewriter: Any) -> Any:
        """Take PyTorch's own silu."""
        x = op.operation.operands[0]
        return build("silu", x.type, [x])

    @pattern("torch.aten.mul.Tensor", benefit=2)
    def gated(self, op: Any, rewriter: Any) -> Any:
        """X * sigmoid(x), in either order."""
        for x, other in either_order(op.operation):
            gate = made_by(plain(other), "sigmoid")
            if gate is not None and gate.operands[0] == x and x.type == op.operation.results[0].type:
                return build("silu", x.type, [x])
        return None

    @pattern("torch.aten.div.Tensor")
    def quotient(self, op: Any, rewriter: Any) -> Any:
        """X / (1 + exp(-x))."""
        x, below = op.operation.operands[0], plus_number(op.operation.operands[1])
        grown = made_by(plain(below[0]), "exp") if below is not None and below[1] == 1 else None
        negated = made_by(plain(grown.operands[0]), "neg") if grown is not None else None
        if negated is None or negated.operands[0] != x or x.type != op.operation.results[0].type:
            return None
        return build("silu", x.type, [x])

    @pattern("torch.aten.mul.Tensor", benefit=3)
    def product(self, op: Any, rewriter: Any) -> Any:
        """Half of x, times one more than a function of x."""
        return _gelu(op.operation.results[0])

    @pattern("torch.aten.mul.Scalar", benefit=3)
    def scaled(self, op: Any, rewriter: Any) -> Any:
        """The same, multiplied by a half last."""
        return _gelu(op.operation.results[0])

    @pattern("torch.aten.div.Scalar", benefit=3)
    def halved(self, op: Any, rewriter: Any) -> Any:
        """The same, divided by two last."""
        return _gelu(op.operation.results[0])


def _gelu(value: Any) -> Any:
    for bracket, power in factors(value)[1]:
        more = plus_number(bracket)
        curve = made_by(plain(more[0]), "erf", "tanh") if more is not None and more[1] == 1 else None
        if curve is None or power != 1:
            continue
        form = "none" if curve.name.endswith("erf") else "tanh"
        x = _of_erf(curve.operands[0]) if form == "none" else _of_tanh(curve.operands[0])
        if x is not None and x.type == value.type and is_product(value, 0.5, (x, 1), (bracket, 1)):
            return build("gelu", value.type, [x], approximate=form)
    return None


def _of_erf(value: Any) -> Any:
    """Return x where `value` is x / sqrt(2)."""
    made = made_by(plain(value), "mul.Scalar", "div.Scalar")
    if made is None:
        return None
    x = plain(made.operands[0])
    return x if is_product(value, math.sqrt(0.5), (x, 1)) else None


def _of_tanh(value: Any) -> Any:
    """Return x where `value` is sqrt(2/pi) * (x + 0.044715 * x^3), the x taken out or not."""
    scale, found = factors(value)
    if not close(scale, math.sqrt(2 / math.pi)):
        return None
    for one, power in found:
        total, more = sum_of(one), plus_number(one)
        if total is not None and (power, len(found)) == (1, 1):
            for x, cube in either_order(total):
                if is_product(cube, 0.044715, (plain(x), 3)):
                    return plain(x)
        elif more is not None and power == 1 and more[1] == 1:
            for x, _ in found:
                whole = is_product(value, scale, (x, 1), (one, 1))
                if whole and is_product(more[0], 0.044715, (x, 2)):
                    return x
    return None
