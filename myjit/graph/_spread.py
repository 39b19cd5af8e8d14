"""Put elements apart, as the backward of what takes steps needs them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

aten = torch.ops.aten


def spread(x: Tensor, steps: Sequence[int]) -> Tensor:
    """Put zeros behind every element along the last dimensions, to take as many places as `steps`."""
    if all(each == 1 for each in steps):
        return x
    first, sizes = x.shape[: -len(steps)], x.shape[-len(steps) :]
    pads = [pad for each in reversed(steps) for pad in (0, each - 1, 0, 0)]
    apart = aten.constant_pad_nd(x.reshape(*first, *(s for size in sizes for s in (size, 1))), pads)
    return apart.reshape(*first, *(size * step for size, step in zip(sizes, steps, strict=True)))
