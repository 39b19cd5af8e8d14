"""Hyperbolic functions with every digit, near zero and far from it.

torch-mlir writes them out in the textbook's form, `log(x + sqrt(x * x + 1))`: the digits of small numbers
cancel out, large negative ones give infinity, and acosh has values where it is not defined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import float_type, wide_type

aten = torch.ops.aten

#: From here on the square adds nothing: acosh and asinh are the logarithm of the double.
_LARGE = 1e9


def _on_magnitudes(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Any]:
    """Compute an odd function on the magnitudes, at least in float32."""

    @wraps(function)
    def compute(x: Tensor) -> Any:
        x, dtype = _wide(x)
        return torch.copysign(function(x.abs()), x).to(dtype)

    return compute


def _wide(x: Tensor) -> tuple[Tensor, torch.dtype]:
    """Return a tensor in the type to compute in, and the type of the result."""
    dtype = float_type(x)
    return x.to(wide_type(dtype)), dtype


@_on_magnitudes
def sinh(x: Tensor) -> Tensor:
    """Return the hyperbolic sine."""
    less_one = torch.expm1(x)
    root = torch.exp(x / 2)  # the exponential itself overflows before the result does
    return torch.where(x < 80, (less_one + less_one / (less_one + 1)) / 2, root / 2 * root)


def cosh(x: Tensor) -> Tensor:
    """Return the hyperbolic cosine."""
    x, dtype = _wide(x)
    root = torch.exp(x.abs() / 2)  # the exponential itself overflows before the result does
    return (root / 2 * root + 0.5 / root / root).to(dtype)


@_on_magnitudes
def asinh(x: Tensor) -> Tensor:
    """Return the inverse hyperbolic sine."""
    squared = x * x
    near = torch.log1p(x + squared / (1 + torch.sqrt(squared + 1)))
    return torch.where(x < _LARGE, near, torch.log(x) + math.log(2))


@_on_magnitudes
def atanh(x: Tensor) -> Tensor:
    """Return the inverse hyperbolic tangent."""
    return torch.log1p(2 * x / (1 - x)) / 2


def acosh(x: Tensor) -> Tensor:
    """Return the inverse hyperbolic cosine; NaN below one."""
    x, dtype = _wide(x)
    more = x - 1
    near = torch.log1p(more + torch.sqrt(more * (more + 2)))
    value = torch.where(x < _LARGE, near, torch.log(x) + math.log(2))
    return torch.where(x < 1, math.nan, value).to(dtype)


DECOMPOSITIONS = {
    aten.sinh.default: sinh,
    aten.cosh.default: cosh,
    aten.asinh.default: asinh,
    aten.atanh.default: atanh,
    aten.acosh.default: acosh,
}
