"""Quotients rounded down, as Python and torch find them: from the exact remainder.

Rounding the quotient itself gives 10 for `1.0 // 0.1`, which is 9: the number next to 0.1 is a little more.
For int64 torch-mlir goes through float64, which holds 53 bits of 64.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import wide_type

aten = torch.ops.aten


def floor_divide(x: Tensor | int, other: Tensor | float) -> Any:
    """Return the quotient, rounded down."""
    return torch.div(x, other, rounding_mode="floor")


def div(x: Tensor | int, other: Tensor | float, *, rounding_mode: str | None) -> Any:
    """Return the quotient, rounded as told."""
    if not isinstance(x, Tensor) and not isinstance(other, Tensor):
        return NotImplemented  # two sizes
    if not isinstance(x, Tensor):  # a size: as of any number, its type is the tensor's
        x = torch.scalar_tensor(x, dtype=torch.result_type(other, 1), device=other.device)
    dtype = torch.result_type(x, other)
    if rounding_mode != "floor" or dtype.is_complex:
        return NotImplemented
    if dtype.is_floating_point:
        wide = wide_type(dtype)
        return _of_fractions(x.to(wide), other.to(wide) if isinstance(other, Tensor) else other).to(dtype)
    return _of_integers(x, other) if dtype is torch.int64 else NotImplemented


def _of_integers(x: Tensor, other: Any) -> Tensor:
    quotient = torch.div(x, other, rounding_mode="trunc")
    rest = x - quotient * other
    return quotient - ((rest != 0) & ((rest < 0) != (other < 0))).to(torch.int64)


def _of_fractions(x: Tensor, other: Any) -> Tensor:
    rest, fraction = torch.fmod(x, other), x / other
    quotient = (x - rest) / other
    down = (rest != 0) & ((rest < 0) != (other < 0))
    quotient = torch.where(down, quotient - 1, quotient)
    floor = torch.floor(quotient)
    floor = torch.where(quotient - floor > 0.5, floor + 1, floor)
    floor = torch.where(quotient == 0, torch.copysign(torch.zeros_like(quotient), fraction), floor)
    if not isinstance(other, Tensor):
        return floor if other != 0 else fraction
    return torch.where(other == 0, fraction, floor)


DECOMPOSITIONS = {
    aten.floor_divide.default: floor_divide,
    aten.floor_divide.Scalar: floor_divide,
    aten.div.Tensor_mode: div,
    aten.div.Scalar_mode: div,
}
