"""Bounds and extremes of two that keep NaN, or drop it, as torch does: torch-mlir's do as they like."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import common_type

aten = torch.ops.aten


def maximum(a: Tensor, b: Tensor) -> Any:
    """Return the larger; NaN where either is."""
    a, b = _alike(a, b)
    return torch.where((a > b) | a.isnan(), a, b) if a.is_floating_point() else NotImplemented


def minimum(a: Tensor, b: Tensor) -> Any:
    """Return the smaller; NaN where either is."""
    a, b = _alike(a, b)
    return torch.where((a < b) | a.isnan(), a, b) if a.is_floating_point() else NotImplemented


def fmax(a: Tensor, b: Tensor) -> Any:
    """Return the larger; the other one where one is NaN."""
    a, b = _alike(a, b)
    return torch.where((a >= b) | b.isnan(), a, b) if a.is_floating_point() else torch.maximum(a, b)


def fmin(a: Tensor, b: Tensor) -> Any:
    """Return the smaller; the other one where one is NaN."""
    a, b = _alike(a, b)
    return torch.where((a <= b) | b.isnan(), a, b) if a.is_floating_point() else torch.minimum(a, b)


def _alike(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return two tensors in the type of the result."""
    dtype = torch.result_type(a, b)
    return a.to(dtype), b.to(dtype)


def max_dim(x: Tensor, dim: int, keepdim: bool = False) -> Any:  # noqa: FBT001, FBT002 (the op's signature)
    """Return the largest along a dimension and where it is first; the first NaN counts as the largest."""
    if not _has_order(x):
        return NotImplemented
    most = x.amax(dim, keepdim=True)
    return most if keepdim else most.squeeze(dim), _first(x, most, dim, keepdim=keepdim)


def min_dim(x: Tensor, dim: int, keepdim: bool = False) -> Any:  # noqa: FBT001, FBT002 (the op's signature)
    """Return the smallest along a dimension and where it is first; the first NaN counts as the smallest."""
    if not _has_order(x):
        return NotImplemented
    least = x.amin(dim, keepdim=True)
    return least if keepdim else least.squeeze(dim), _first(x, least, dim, keepdim=keepdim)


def argmax(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: FBT001, FBT002
    """Return where the largest, or else the first NaN, is."""
    if not _has_order(x) or x.dim() == 0:
        return NotImplemented
    if dim is None:
        return argmax(x.flatten(), 0) if not keepdim else NotImplemented
    return _first(x, x.amax(dim, keepdim=True), dim, keepdim=keepdim)


def argmin(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: FBT001, FBT002
    """Return where the smallest, or else the first NaN, is."""
    if not _has_order(x) or x.dim() == 0:
        return NotImplemented
    if dim is None:
        return argmin(x.flatten(), 0) if not keepdim else NotImplemented
    return _first(x, x.amin(dim, keepdim=True), dim, keepdim=keepdim)


def _has_order(x: Tensor) -> bool:
    """Tell whether extremes are found here: of floats and signed integers."""
    return x.is_floating_point() or x.dtype in (torch.int64, torch.int32, torch.int16, torch.int8)


def _first(x: Tensor, extreme: Tensor, dim: int, *, keepdim: bool) -> Tensor:
    """Return the first place along `dim` of an extreme: where that is NaN, nothing equals it."""
    found = x == extreme
    if x.is_floating_point():
        found = found | x.isnan()
    length = x.shape[dim]
    shape = [1] * x.dim()
    shape[dim] = length
    short = not isinstance(length, int) or length < 2**31
    places = torch.arange(length, dtype=torch.int32 if short else torch.int64, device=x.device).view(shape)
    return torch.where(found, places, length).amin(dim, keepdim).long()


def clamp(x: Tensor, min: float | None = None, max: float | None = None) -> Any:
    """Bring `x` between two numbers; NaN stays."""
    if x.dtype is torch.bool:
        return aten.clamp(x.to(common_type(x, min, max)), min, max)
    if not x.is_floating_point():
        return NotImplemented
    if min is not None:
        x = torch.where(x < min, min, x)
    return x if max is None else torch.where(x > max, max, x)


def clamp_min(x: Tensor, min: float) -> Any:
    """Bring `x` above a number."""
    return clamp(x, min)


def clamp_max(x: Tensor, max: float) -> Any:
    """Bring `x` below a number."""
    return clamp(x, None, max)


def hardtanh(x: Tensor, min_val: float = -1, max_val: float = 1) -> Any:
    """Bring `x` between two numbers, as an activation."""
    return clamp(x, min_val, max_val)


def hardsigmoid(x: Tensor) -> Any:
    """Return (x + 3) / 6 between 0 and 1."""
    return clamp(x + 3, 0, 6) / 6


DECOMPOSITIONS = {
    aten.argmax.default: argmax,
    aten.argmin.default: argmin,
    aten.max.dim: max_dim,
    aten.min.dim: min_dim,
    aten.fmax.default: fmax,
    aten.fmin.default: fmin,
    aten.maximum.default: maximum,
    aten.minimum.default: minimum,
    aten.clamp.default: clamp,
    aten.clamp_min.default: clamp_min,
    aten.clamp_max.default: clamp_max,
    aten.hardtanh.default: hardtanh,
    aten.hardsigmoid.default: hardsigmoid,
}
