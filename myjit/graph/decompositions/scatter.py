"""Scatters that reduce, by the ops that have a lowering."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table

aten = torch.ops.aten


def scatter_add(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """Add into `x` at `index`: truth values as numbers, the half types in float32, as torch's kernel does."""
    if x.dtype == torch.bool:  # as bits, true and true would make false
        return aten.scatter_add(x.int(), dim, index, src.int()) != 0
    if x.dtype in (torch.float16, torch.bfloat16):
        return aten.scatter_add(x.float(), dim, index, src.float()).to(x.dtype)
    return NotImplemented


def scatter_reduce(x: Tensor, dim: int, index: Tensor, src: Tensor, *, reduce: str) -> Any:
    """Add or multiply `src` into `x` at `index`: the older form of the op."""
    if reduce == "add":
        return aten.scatter_add(x, dim, index, src)
    if reduce == "multiply":
        return aten.scatter_reduce(x, dim, index, src, "prod")
    return NotImplemented


def scatter_reduce_value(x: Tensor, dim: int, index: Tensor, value: float, *, reduce: str) -> Any:
    """Add or multiply a number into `x` at `index`."""
    src = torch.full(index.shape, value, dtype=x.dtype, device=x.device)
    return scatter_reduce(x, dim, index, src, reduce=reduce)


def scatter_reduce_two(
    x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Return the means of integers as torch computes them: in their own type, rounded down.

    Truth values are reduced as numbers: as bits, true and true would make false, and true is less than false.
    """
    if x.dtype == torch.bool and reduce != "mean":
        found = aten.scatter_reduce(x.int(), dim, index, src.int(), reduce, include_self=include_self)
        return found != 0
    if reduce != "mean" or x.is_floating_point() or x.is_complex():
        return NotImplemented
    sums, counts = (
        aten.scatter_reduce(a, dim, index, b, "sum", include_self=include_self)
        for a, b in ((x, src), (torch.ones_like(x), torch.ones_like(src)))
    )
    return sums.div(counts.masked_fill(counts == 0, 1), rounding_mode="floor")


def diagonal_scatter(x: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Write `src` over a diagonal of `x`, in the type of `x`."""
    matrices = x.movedim((dim1, dim2), (0, 1))
    along = torch.arange(src.shape[-1], device=x.device)
    places = [along + max(-offset, 0), along + max(offset, 0)]
    src = src.to(x.dtype).movedim(-1, 0)
    return aten.index_put(matrices, places, src).movedim((0, 1), (dim1, dim2)).clone()


def select_scatter(x: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Write `src` over a slice of `x`, in the type of `x`, where torch's own would give a type for both."""
    return decomposition_table[aten.select_scatter.default](x, src.to(x.dtype), dim, index)


def slice_scatter(x: Tensor, src: Tensor, *where: Any, **named: Any) -> Any:
    """Write `src` over slices of `x`, in the type of `x`."""
    if src.dtype == x.dtype:
        return NotImplemented
    return aten.slice_scatter(x, src.to(x.dtype), *where, **named)


DECOMPOSITIONS = {
    aten.scatter.reduce: scatter_reduce,
    aten.scatter_add.default: scatter_add,
    aten.scatter_reduce.two: scatter_reduce_two,
    aten.scatter.value_reduce: scatter_reduce_value,
    aten.diagonal_scatter.default: diagonal_scatter,
    aten.select_scatter.default: select_scatter,
    aten.slice_scatter.default: slice_scatter,
}
