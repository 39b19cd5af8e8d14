"""Remainders by a number, which have a lowering only for tensors."""

from __future__ import annotations

import torch
from torch import Tensor

aten = torch.ops.aten


def fmod(x: Tensor, other: float) -> Tensor:
    """Return the remainder with the sign of `x`."""
    dtype = torch.result_type(x, other)
    return torch.fmod(x.to(dtype), torch.full((), other, dtype=dtype, device=x.device))


DECOMPOSITIONS = {aten.fmod.Scalar: fmod}
