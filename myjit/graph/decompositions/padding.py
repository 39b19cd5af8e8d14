"""Padding by less than nothing, which cuts: IREE refuses it, or crashes where it learns so at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def constant_pad_nd(x: Tensor, pad: Sequence[int], value: float = 0) -> Any:
    """Add elements before and after, from the last dimension on, and cut off what is to be less."""
    if all(each >= 0 for each in pad):  # guards, where the sizes are the caller's
        return NotImplemented
    for place in range(0, len(pad), 2):
        before, after = (max(-each, 0) for each in pad[place : place + 2])
        dim = x.dim() - 1 - place // 2
        x = x.narrow(dim, before, x.shape[dim] - before - after)
    return aten.constant_pad_nd(x, [max(each, 0) for each in pad], value)


DECOMPOSITIONS = {aten.constant_pad_nd.default: constant_pad_nd}
