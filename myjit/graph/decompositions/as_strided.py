"""`as_strided` where it shows its input as it is: torch says so how a pooled image lies in memory.

torch-mlir turns the op into a lookup of every element, and has no lowering for its gradient, a scatter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def as_strided(x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None = None) -> Any:
    """Return a view of `x` where that shows all elements of `x` in their order."""
    return aten.view.default(x, size) if _is_all_of(x, size, stride, offset) else NotImplemented


def as_strided_scatter(
    x: Tensor, source: Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None = None
) -> Any:
    """Return a copy of `source` where it takes the place of all that `x` holds."""
    if not _is_all_of(x, size, stride, offset):
        return NotImplemented
    copy = aten.clone.default(source)
    return copy if copy.shape == x.shape else copy.reshape(x.shape)


def _is_all_of(x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None) -> bool:
    """Tell whether sizes and strides are those of `x`, or of its elements as they lie in memory."""
    if offset not in (None, x.storage_offset()):
        return False
    if list(size) == list(x.shape):
        return _agree(x.stride(), stride, size)
    in_order = [math.prod(size[dim + 1 :]) for dim in range(len(size))]
    return x.is_contiguous() and math.prod(size) == x.numel() and _agree(in_order, stride, size)


def _agree(some: Sequence[int], others: Sequence[int], sizes: Sequence[int]) -> bool:
    """Tell whether strides are the same in dimensions of more than one element."""
    return all(one == other for one, other, many in zip(some, others, sizes, strict=True) if many != 1)


DECOMPOSITIONS = {aten.as_strided.default: as_strided, aten.as_strided_scatter.default: as_strided_scatter}
