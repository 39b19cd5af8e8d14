"""Writes at places that torch-mlir gets wrong or has no lowering for.

Through a mask, `x[mask] = number`, as a choice; along other dimensions than the first, `x[:, i, :, j] = y`,
with those in front; at places of several dimensions, which it gets wrong where sizes change, as at a list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.frontend.nodes import MASKS

aten = torch.ops.aten

#: Elements of a row from which on rows are written one by one, where the tensor would be turned for it.
_LONG = 16


def index_put(
    x: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,  # noqa: FBT001, FBT002 (the op's signature)
) -> Any:
    """Put a single number where one mask of the leading dimensions is true; add truth values as numbers."""
    if accumulate and x.dtype == torch.bool:
        return aten.index_put(x.int(), indices, values.int(), True) != 0
    given = [index for index in indices if index is not None]
    if any(index.dtype in MASKS for index in given):
        return _through_mask(x, indices, values, accumulate=accumulate)
    if len(given) == len(indices):
        return _at_listed_places(x, given, values, accumulate=accumulate)
    return _with_places_in_front(x, indices, values, accumulate=accumulate)


def _with_places_in_front(
    x: Tensor, indices: Sequence[Tensor | None], values: Tensor, *, accumulate: bool
) -> Tensor:
    places = {dim: index for dim, index in enumerate(indices) if index is not None}
    others = [dim for dim in range(x.dim()) if dim not in places]
    shape = torch.broadcast_shapes(*(index.shape for index in places.values()))
    dims = list(places)
    together = dims == list(range(dims[0], dims[-1] + 1))
    if together and _are_rows(x, dims):
        return _at_each_row(x, dims[0], list(places.values()), values, accumulate=accumulate)
    first, count = (
        dims[0] if together else 0,
        len(shape),
    )  # where the values have the dimensions of the places
    sizes = [x.shape[dim] for dim in others]
    values = values.expand([*sizes[:first], *shape, *sizes[first:]])
    values = values.movedim(list(range(first, first + count)), list(range(count)))
    order = [*dims, *others]
    written = aten.index_put(x.permute(order), list(places.values()), values, accumulate)
    return written.permute([order.index(dim) for dim in range(x.dim())]).clone()


def _are_rows(x: Tensor, dims: Sequence[int]) -> bool:
    """Tell whether rows that lie in one piece are written, of as many elements as it takes to pay."""
    sizes = (*x.shape[: dims[0]], *x.shape[dims[-1] + 1 :])
    return all(isinstance(size, int) for size in sizes) and math.prod(x.shape[dims[-1] + 1 :]) >= _LONG


def _at_each_row(
    x: Tensor, first: int, places: Sequence[Tensor], values: Tensor, *, accumulate: bool
) -> Tensor:
    """Write at places of each of the dimensions before `first`, which are counted: nothing is turned."""
    shape = torch.broadcast_shapes(*(place.shape for place in places))
    counted = [
        torch.arange(size, device=x.device).view(-1, *[1] * (first - 1 - dim + len(shape)))
        for dim, size in enumerate(x.shape[:first])
    ]
    return aten.index_put(x, [*counted, *places], values, accumulate)


def _at_listed_places(x: Tensor, places: Sequence[Tensor], values: Tensor, *, accumulate: bool) -> Any:
    shape = torch.broadcast_shapes(*(place.shape for place in places))
    if len(shape) < 2:
        return NotImplemented
    count, rows = math.prod(shape), x.shape[len(places) :]
    values = values.expand([*shape, *rows]).reshape([count, *rows])
    return aten.index_put(x, [place.expand(shape).reshape(count) for place in places], values, accumulate)


def _through_mask(x: Tensor, indices: Sequence[Tensor | None], values: Tensor, *, accumulate: bool) -> Any:
    mask = indices[0]
    if len(indices) != 1 or mask is None or mask.dtype != torch.bool or values.dim() != 0:
        return NotImplemented
    mask = mask.view(*mask.shape, *[1] * (x.dim() - mask.dim()))
    return torch.where(mask, x + values if accumulate else values.to(x.dtype), x)


def index_fill(x: Tensor, dim: int, places: Tensor, value: Any) -> Tensor:
    """Put a single number at places along a dimension: torch 2.11's own way copies on GPUs, which fails."""
    if not isinstance(value, Tensor):
        value = torch.scalar_tensor(value, dtype=x.dtype, device=x.device)
    whole = x.reshape(1) if x.dim() == 0 else x
    indices = [*[None] * (dim % whole.dim()), places.reshape(-1)]
    return aten.index_put(whole, indices, value.to(x.dtype)).reshape(x.shape)


DECOMPOSITIONS = {
    aten.index_put.default: index_put,
    aten.index_fill.int_Scalar: index_fill,
    aten.index_fill.int_Tensor: index_fill,
}
