"""The backward of average pooling, which has no lowering: a sum over windows of the gradients put apart.

That of adaptive pooling, which averages along one dimension after the other, is a product with the matrix of
each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.graph._lists import whole_list
from myjit.graph._spread import spread

aten = torch.ops.aten


def avg_pool2d_backward(grad: Tensor, x: Tensor, *form: Any) -> Any:
    """Return the gradient of the images that were averaged."""
    return _backward(aten.avg_pool2d, 2, grad, x, *form)


def avg_pool3d_backward(grad: Tensor, x: Tensor, *form: Any) -> Any:
    """Return the gradient of the volumes that were averaged."""
    return _backward(aten.avg_pool3d, 3, grad, x, *form)


def _backward(  # noqa: PLR0917 (the op's signature)
    pool: Any,
    dims: int,
    grad: Tensor,
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,  # noqa: FBT001
    count_include_pad: bool,  # noqa: FBT001
    divisor: int | None,
) -> Any:
    if not x.is_floating_point():
        return NotImplemented
    kernel, padding = whole_list(kernel, dims), whole_list(padding, dims)
    steps = whole_list(stride, dims) if stride else kernel
    form = (kernel, steps, padding, ceil_mode, count_include_pad)
    shares = grad / (divisor or _counts(pool, x.new_ones([1, *x.shape[-dims:]]), form))
    apart = spread(shares, steps)
    pads: list[int] = []
    for dim, (size, pad) in reversed(list(enumerate(zip(kernel, padding, strict=True)))):
        length, had = x.shape[dim - dims], apart.shape[dim - dims]
        pads += [size - 1 - pad, length + pad - had]
    ones, none = [1] * dims, [0] * dims
    return pool(aten.constant_pad_nd(apart, pads), kernel, ones, none, False, True, 1)


def _counts(pool: Any, ones: Tensor, form: Sequence[Any]) -> Any:
    """Return by what each window's sum is divided: a number, or a tensor of one image."""
    kernel, _, padding, ceil_mode, count_include_pad = form
    if not ceil_mode and (count_include_pad or not any(padding)):
        return float(torch.Size(kernel).numel())
    return (pool(ones, *form, 1) / pool(ones, *form)).round()


def _adaptive_avg_pool2d_backward(grad: Tensor, x: Tensor) -> Tensor:
    return _adaptive_backward(grad, x, 2)


def _adaptive_avg_pool3d_backward(grad: Tensor, x: Tensor) -> Tensor:
    return _adaptive_backward(grad, x, 3)


def _adaptive_backward(grad: Tensor, x: Tensor, dims: int) -> Tensor:
    for dim in range(-dims, 0):
        if grad.shape[dim] == 1:
            grad = (grad / x.shape[dim]).expand([*grad.shape[:dim], x.shape[dim], *grad.shape[dim:][1:]])
        else:
            matrix = _averages(x.shape[dim], grad.shape[dim], x)
            grad = (grad.movedim(dim, -1) @ matrix).movedim(-1, dim)
    return grad.contiguous()


def _averages(inputs: int, outputs: int, like: Tensor) -> Tensor:
    """Return the matrix that adaptive pooling along one dimension multiplies with, of [outputs, inputs]."""
    window = torch.arange(outputs, device=like.device)[:, None]
    first, last = window * inputs // outputs, ((window + 1) * inputs + outputs - 1) // outputs
    place = torch.arange(inputs, device=like.device)
    return ((place >= first) & (place < last)).to(like.dtype) / (last - first)


DECOMPOSITIONS = {
    aten.avg_pool2d_backward.default: avg_pool2d_backward,
    aten.avg_pool3d_backward.default: avg_pool3d_backward,
    aten._adaptive_avg_pool2d_backward.default: _adaptive_avg_pool2d_backward,
    aten._adaptive_avg_pool3d_backward.default: _adaptive_avg_pool3d_backward,
}
