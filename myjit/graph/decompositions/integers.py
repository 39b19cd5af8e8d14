"""Integer ops with a number on the right, which have no lowering in that form."""

from __future__ import annotations

import torch
from torch import Tensor

aten = torch.ops.aten


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
    aten.bitwise_and.Scalar: bitwise_and,
    aten.bitwise_or.Scalar: bitwise_or,
    aten.bitwise_xor.Scalar: bitwise_xor,
}
