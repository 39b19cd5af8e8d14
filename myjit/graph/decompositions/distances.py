"""Distances of each vector to each."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

#: With more vectors on either side, eager takes euclidean distances from products of matrices.
_MOST_VECTORS = 25
_BY_PRODUCTS, _NEVER_BY_PRODUCTS = 1, 2


def cdist(x: Tensor, y: Tensor, p: float, compute_mode: int | None) -> Any:
    """Return p-norm distances (..., n, m) of all rows of `x` (..., n, d) to all of `y` (..., m, d)."""
    known = all(isinstance(size, int) for size in (*x.shape, *y.shape))
    if not known or x.numel() == 0 or y.numel() == 0:
        return NotImplemented
    many = max(x.shape[-2], y.shape[-2]) > _MOST_VECTORS
    if p == 2 and (compute_mode == _BY_PRODUCTS or (many and compute_mode != _NEVER_BY_PRODUCTS)):
        return _by_products(x, y)
    apart = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == 0:
        return (apart != 0).sum(-1).to(x.dtype)
    if p == 1:
        return apart.sum(-1)
    if p == 2:
        return apart.square().sum(-1).sqrt()
    return apart.amax(-1) if math.isinf(p) else apart.pow(p).sum(-1).pow(1 / p)


def _by_products(x: Tensor, y: Tensor) -> Tensor:
    squares = x.square().sum(-1)[..., :, None] + y.square().sum(-1)[..., None, :]
    return (squares - 2 * (x @ y.mT)).clamp_min(0).sqrt()


def cdist_backward(grad: Tensor, x: Tensor, y: Tensor, p: float, distances: Tensor) -> Any:
    """Return the gradient of `x` (..., n, d), where `grad` and `distances` are (..., n, m)."""
    known = all(isinstance(size, int) for size in (*x.shape, *y.shape))
    if not known or x.numel() == 0 or y.numel() == 0:
        return NotImplemented
    difference = x.unsqueeze(-2) - y.unsqueeze(-3)
    grad, distances = grad.unsqueeze(-1), distances.unsqueeze(-1)
    if p == 0:
        return torch.zeros_like(x)
    if p == 1:
        return (grad * difference.sign()).sum(-2)
    if math.isinf(p):
        return (grad * difference.sign() * (difference.abs() == distances)).sum(-2)
    if p == 2:
        share = difference / distances
    elif p < 2:
        share = difference.sign() * (difference.abs() / distances).pow(p - 1)
        share = torch.where(difference == 0, 0, share) if p < 1 else share
    else:
        share = difference / distances * (difference.abs() / distances).pow(p - 2)
    return (grad * torch.where(distances == 0, 0, share)).sum(-2)


DECOMPOSITIONS = {
    aten._cdist_forward.default: cdist,
    aten._cdist_backward.default: cdist_backward,
}
