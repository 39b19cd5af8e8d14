"""Integer ops with a number on the right, which have no lowering in that form."""

from __future__ import annotations

import torch
from torch import Tensor

aten = torch.ops.aten


def bitwise_and(x: Tensor, other: int) -> Tensor:
    """Return the bits set in both."""
    return torch.bitwise_and(*_tensors(x, other))


def bitwise_or(x: Tensor, other: int) -> Tensor:
    """Return the bits set in either."""
    return torch.bitwise_or(*_tensors(x, other))


def bitwise_xor(x: Tensor, other: int) -> Tensor:
    """Return the bits set in one of the two."""
    return torch.bitwise_xor(*_tensors(x, other))


def _tensors(x: Tensor, other: int) -> tuple[Tensor, Tensor]:
    """Return both as tensors of their common type, in which the number wraps around."""
    dtype = torch.result_type(x, other)
    if dtype is torch.bool:
        return x, torch.full_like(x, other)
    limits = torch.iinfo(dtype)
    wrapped = (other - limits.min) % (1 << limits.bits) + limits.min
    return x.to(dtype), torch.full_like(x, wrapped, dtype=dtype)


DECOMPOSITIONS = {
    aten.bitwise_and.Scalar: bitwise_and,
    aten.bitwise_or.Scalar: bitwise_or,
    aten.bitwise_xor.Scalar: bitwise_xor,
}
