"""Copies whose dimensions lie in memory in a given order."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def copy_in_order(x: Tensor, order: Sequence[int]) -> Tensor:
    """Return a copy whose dimensions lie in memory in `order`, the outermost first."""
    if list(order) == sorted(order):
        return x.clone(memory_format=torch.contiguous_format)
    back = sorted(range(x.dim()), key=lambda place: order[place])
    return x.permute(*order).clone(memory_format=torch.contiguous_format).permute(back)
