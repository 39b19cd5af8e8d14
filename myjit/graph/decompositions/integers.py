"""Integer ops with a number on the right, which have no lowering in that form."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

#: Powers up to this are multiplied out.
_LARGEST_POWER = 8


def pow_scalar(x: Tensor, exponent: float) -> Any:
    """Return an integer tensor to a small whole power."""
    if not isinstance(exponent, int) or not 0 < exponent <= _LARGEST_POWER:
        return NotImplemented
    if x.is_floating_point() or x.is_complex() or x.dtype == torch.bool:
        return NotImplemented
    result = x
    for _ in range(exponent - 1):
        result = result * x
    return result


def bitwise_and(x: Tensor, other: int) -> Tensor:
    """Return the bits set in both."""
    return torch.bitwise_and(x, torch.full_like(x, other))


def bitwise_or(x: Tensor, other: int) -> Tensor:
    """Return the bits set in either."""
    return torch.bitwise_or(x, torch.full_like(x, other))


def bitwise_xor(x: Tensor, other: int) -> Tensor:
    """Return the bits set in one of the two."""
    return torch.bitwise_xor(x, torch.full_like(x, other))


DECOMPOSITIONS = {
    aten.pow.Tensor_Scalar: pow_scalar,
    aten.bitwise_and.Scalar: bitwise_and,
    aten.bitwise_or.Scalar: bitwise_or,
    aten.bitwise_xor.Scalar: bitwise_xor,
}
