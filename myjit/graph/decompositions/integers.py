"""Integer ops that have no lowering in their form, or one through float64, which holds 53 bits of 64."""

from __future__ import annotations

from typing import Any

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


def neg(x: Tensor) -> Any:
    """Return the negative."""
    if x.is_floating_point() or x.is_complex():
        return NotImplemented
    return torch.rsub(x, 0)


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
    aten.neg.default: neg,
}
