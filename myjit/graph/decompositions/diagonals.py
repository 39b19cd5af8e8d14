"""Diagonals of one element, which IREE refuses: the element itself."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return the diagonal of two dimensions as the last, where it has one element."""
    rows, columns = x.shape[dim1], x.shape[dim2]
    if not (isinstance(rows, int) and isinstance(columns, int)):
        return NotImplemented
    row, column = max(-offset, 0), max(offset, 0)
    if min(rows - row, columns - column) != 1:
        return NotImplemented
    first, second = dim1 % x.dim(), dim2 % x.dim()
    one = x.select(first, row)
    return one.select(second - (second > first), column).unsqueeze(-1)


DECOMPOSITIONS = {aten.diagonal.default: diagonal}
