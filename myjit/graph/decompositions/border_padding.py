"""Padding with what is at the border, or reflected there: slices joined, rather than all of it gathered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

#: Elements before or after, along a dimension, that are taken one by one; more are gathered.
_MOST = 8


def replication_pad(x: Tensor, pad: Sequence[int]) -> Any:
    """Repeat the first and the last element of each of the last dimensions."""
    if x.numel() == 0 or any(each < 0 for each in pad):
        return NotImplemented
    for number in range(0, len(pad), 2):
        dim, (low, high) = x.dim() - 1 - number // 2, pad[number : number + 2]
        size = x.shape[dim]
        if max(low, high) > _MOST:
            places = torch.arange(-low, size + high, device=x.device)
            x = x.index_select(dim, places.clamp(0, size - 1))
        else:
            first, last = x.narrow(dim, 0, 1), x.narrow(dim, size - 1, 1)
            x = torch.cat([*[first] * low, x, *[last] * high], dim)
    return x


def reflection_pad(x: Tensor, pad: Sequence[int]) -> Any:
    """Go back from the first and the last element of each of the last dimensions."""
    sizes = [x.shape[x.dim() - 1 - place // 2] for place in range(len(pad))]
    if x.numel() == 0 or any(not 0 <= each < size for each, size in zip(pad, sizes, strict=True)):
        return NotImplemented  # torch says what is wrong
    for number in range(0, len(pad), 2):
        dim, (low, high) = x.dim() - 1 - number // 2, pad[number : number + 2]
        size = x.shape[dim]
        if max(low, high) > _MOST:
            places = torch.arange(-low, size + high, device=x.device)
            x = x.index_select(dim, size - 1 - (size - 1 - places.abs()).abs())
        else:
            before = [x.narrow(dim, far, 1) for far in range(low, 0, -1)]
            after = [x.narrow(dim, size - 1 - far, 1) for far in range(1, high + 1)]
            x = torch.cat([*before, x, *after], dim)
    return x


DECOMPOSITIONS = {
    getattr(aten, f"{kind}_pad{dims}d").default: padding
    for kind, padding in (("replication", replication_pad), ("reflection", reflection_pad))
    for dims in (1, 2, 3)
}
