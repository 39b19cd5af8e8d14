"""Dropout as a mask drawn by torch and a compiled multiplication.

The whole op would run in torch, as everything random does. Drawn from a tensor of the right size that
depends on nothing, the masks of a program can all be made before its first compiled part; they are the
very numbers that eager draws.
"""

from __future__ import annotations

import torch
from torch import Tensor

from myjit.frontend.signature import memory_order

aten = torch.ops.aten


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:  # noqa: FBT001
    """Return the scaled input and its mask of kept elements."""
    if train is False or p == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(input), torch.zeros_like(input, dtype=torch.bool)
    mask = _drawn_in_order(input, 1 - p)
    return input * _noise(mask, input, 1 - p), mask


def native_dropout_backward(grad: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Return the gradient of the input, where the kept elements were multiplied by `scale`."""
    return grad * _noise(mask, grad, 1 / scale) if scale else torch.zeros_like(grad)


def _noise(mask: Tensor, x: Tensor, p: float) -> Tensor:
    """Return what eager multiplies by on CPUs: a division, so that float32 is rounded as there."""
    return mask.to(x.dtype) / p


def _drawn_in_order(x: Tensor, p: float) -> Tensor:
    """Draw a mask as eager does: in the order in which the elements of a tensor like `x` lie in memory."""
    order = memory_order(torch.empty_like(x))
    shape = [x.shape[dim] for dim in order]
    mask = aten.bernoulli.p(torch.empty(shape, dtype=torch.bool, device=x.device), p)
    return mask.permute([order.index(dim) for dim in range(x.dim())])


DECOMPOSITIONS = {
    aten.native_dropout.default: native_dropout,
    aten.native_dropout_backward.default: native_dropout_backward,
}
