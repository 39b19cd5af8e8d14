"""Ops on the sign of floating-point numbers, of zeros too."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import float_type

aten = torch.ops.aten


def signbit(x: Tensor) -> Any:
    """Return whether the sign is minus: of -0.0 it is."""
    if not x.is_floating_point():
        return torch.zeros_like(x, dtype=torch.bool) if x.dtype in _UNSIGNED else x < 0
    return (torch.copysign(torch.ones_like(x), x) < 0).to(torch.bool)


def copysign(x: Tensor, sign: float) -> Tensor:
    """Return `x` with the sign of a number."""
    dtype = float_type(x)
    return torch.copysign(x.to(dtype), torch.full((), sign, dtype=dtype, device=x.device))


def copysign_of_truth(x: Tensor, sign: Tensor) -> Any:
    """Return truth values as numbers, with the signs of others; torch-mlir's have none."""
    return torch.copysign(x.to(float_type(x, sign)), sign) if x.dtype is torch.bool else NotImplemented


_UNSIGNED = (torch.bool, torch.uint8)

DECOMPOSITIONS = {
    aten.signbit.default: signbit,
    aten.copysign.Scalar: copysign,
    aten.copysign.Tensor: copysign_of_truth,
}
