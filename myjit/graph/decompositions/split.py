"""Splits as slices: with dynamic sizes a list of tensors has no lowering."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

aten = torch.ops.aten


def split_with_sizes(x: Tensor, split_sizes: Sequence[int], dim: int = 0) -> list[Tensor]:
    """Cut `x` along `dim` into parts of these sizes."""
    parts, start = [], 0
    for size in split_sizes:
        parts.append(aten.slice.Tensor(x, dim, start, start + size))
        start = start + size
    return parts


DECOMPOSITIONS = {aten.split_with_sizes.default: split_with_sizes}
