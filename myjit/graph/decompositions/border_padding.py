"""Padding with what is at the border, or reflected there: slices joined, rather than all of it gathered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    return _padded(x, pad, lambda count: [0] * count, lambda place, size: place.clamp(0, size - 1))


def reflection_pad(x: Tensor, pad: Sequence[int]) -> Any:
    """Go back from the first and the last element of each of the last dimensions."""
    sizes = [x.shape[x.dim() - 1 - place // 2] for place in range(len(pad))]
    if x.numel() == 0 or any(not 0 <= each < size for each, size in zip(pad, sizes, strict=True)):
        return NotImplemented  # torch says what is wrong
    return _padded(
        x,
        pad,
        lambda count: list(range(1, count + 1)),
        lambda place, size: size - 1 - (size - 1 - place.abs()).abs(),
    )


def _padded(
    x: Tensor,
    pad: Sequence[int],
    steps: Callable[[int], list[int]],
    inside: Callable[[Tensor, int], Tensor],
) -> Tensor:
    """Pad one dimension after the other.

    `steps` says how far from an end so many elements beyond it are taken, the nearest first; `inside`, for
    many, in which place what lies in any place is found, of a dimension's size.
    """
    for number in range(0, len(pad), 2):
        dim, (low, high) = x.dim() - 1 - number // 2, pad[number : number + 2]
        size = x.shape[dim]
        if max(low, high) > _MOST:
            places = torch.arange(-low, size + high, device=x.device)
            x = x.index_select(dim, inside(places, size))
        else:
            before = [x.narrow(dim, step, 1) for step in reversed(steps(low))]
            after = [x.narrow(dim, size - 1 - step, 1) for step in steps(high)]
            x = torch.cat([*before, x, *after], dim)
    return x


DECOMPOSITIONS = {
    getattr(aten, f"{kind}_pad{dims}d").default: padding
    for kind, padding in (("replication", replication_pad), ("reflection", reflection_pad))
    for dims in (1, 2, 3)
}
