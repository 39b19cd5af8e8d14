"""Reads at places that torch-mlir has no lowering for.

Where sizes change, those along other dimensions than the first, `x[i, :, j]`: with these in front. `take`, as
a read of all elements in a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.frontend.nodes import MASKS

aten = torch.ops.aten


def index(x: Tensor, indices: Sequence[Tensor | None]) -> Any:
    """Read with the indexed dimensions in front, where there are several and sizes change."""
    places = {dim: each for dim, each in enumerate(indices) if each is not None}
    dims = list(places)
    if len(dims) < 2 or dims[-1] == len(dims) - 1 or not _may_change(places.values()):
        return NotImplemented
    if any(each.dtype in MASKS for each in places.values()):
        return NotImplemented
    others = [dim for dim in range(x.dim()) if dim not in places]
    read = aten.index(x.permute([*dims, *others]), list(places.values()))
    if dims != list(range(dims[0], dims[-1] + 1)):
        return read  # places apart from each other: what is read along them comes first
    count = read.dim() - len(others)
    return read.movedim(list(range(count)), list(range(dims[0], dims[0] + count)))


def _may_change(places: Any) -> bool:
    return any(isinstance(size, torch.SymInt) for each in places for size in each.shape)


def take(x: Tensor, places: Tensor) -> Tensor:
    """Read elements by their places in the row of all."""
    return aten.index(x.reshape(-1), [places])


DECOMPOSITIONS = {aten.index.Tensor: index, aten.take.default: take}
