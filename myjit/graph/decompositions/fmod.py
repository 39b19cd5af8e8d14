"""Remainders with the sign of the left side, through those with the sign of the right, which are exact.

torch-mlir's own subtracts the rounded quotient, whose product is rounded again: `fmod(1e6, 0.1)` was noise,
and `fmod(x, inf)` no number.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from myjit.graph._numbers import number_tensor
from myjit.graph._types import wide_type

aten = torch.ops.aten


def fmod_scalar(x: Tensor, other: float) -> Tensor:
    """Return the remainder by a number."""
    dtype = torch.result_type(x, other)
    return torch.fmod(x.to(dtype), number_tensor(other, dtype, x.device))


def fmod(x: Tensor, other: Tensor) -> Any:
    """Return the remainder with the sign of `x`."""
    dtype = torch.result_type(x, other)
    if not dtype.is_floating_point:
        return NotImplemented
    wide = wide_type(dtype)
    x, other = x.to(wide), other.to(wide)
    return torch.copysign(torch.remainder(x.abs(), other.abs()), x).to(dtype)


def remainder_of_scalar(x: float, other: Tensor) -> Tensor:
    """Return the remainder of a number, with the sign of the right side."""
    dtype = torch.result_type(other, x)
    return torch.remainder(number_tensor(x, dtype, other.device), other.to(dtype))


DECOMPOSITIONS = {
    aten.fmod.Scalar: fmod_scalar,
    aten.fmod.Tensor: fmod,
    aten.remainder.Scalar_Tensor: remainder_of_scalar,
}
