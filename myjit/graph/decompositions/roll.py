"""Roll as two slices, joined the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def roll(x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    """Shift along each of `dims`, bringing back at one end what leaves at the other; all in a row without."""
    if not dims:
        return x.flatten().roll(shifts[0], 0).view(x.shape)
    if x.dim() == 0 or x.numel() == 0:
        return x.clone()
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim]
        start = -shift % size
        x = torch.cat((x.narrow(dim, start, size - start), x.narrow(dim, 0, start)), dim)
    return x


DECOMPOSITIONS = {aten.roll.default: roll}
