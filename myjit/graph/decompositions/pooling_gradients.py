"""The backward of pooling to the largest element: each gradient goes to the place that the forward found."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def adaptive_max_pool2d_backward(grad: Tensor, x: Tensor, indices: Tensor) -> Tensor:
    """Return the gradient of the images."""
    return _to_places(grad, x, indices, 2)


def adaptive_max_pool3d_backward(grad: Tensor, x: Tensor, indices: Tensor) -> Tensor:
    """Return the gradient of the volumes."""
    return _to_places(grad, x, indices, 3)


def max_pool3d_with_indices_backward(grad: Tensor, x: Tensor, *form: Any) -> Tensor:
    """Return the gradient of the volumes; the last of `form` says where in them each element was found."""
    return _to_places(grad, x, form[-1], 3)


def _to_places(grad: Tensor, x: Tensor, indices: Tensor, dims: int) -> Tensor:
    found = torch.zeros_like(x, memory_format=torch.contiguous_format).flatten(-dims)
    return found.scatter_add(-1, indices.flatten(-dims), grad.flatten(-dims)).view(x.shape)


DECOMPOSITIONS = {
    aten.adaptive_max_pool2d_backward.default: adaptive_max_pool2d_backward,
    aten.adaptive_max_pool3d_backward.default: adaptive_max_pool3d_backward,
    aten.max_pool3d_with_indices_backward.default: max_pool3d_with_indices_backward,
}
