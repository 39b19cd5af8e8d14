"""Gradients of convolutions that give each channel of several images a kernel of its own.

Added up over images and places at once, a kernel's gradient is a convolution by groups, which IREE computes
one number at a time. Image by image it is one of single channels again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.graph.decompositions import convolutions

aten = torch.ops.aten

#: The dimensions of images in a batch.
_RANK = 4


def convolution_backward(  # noqa: PLR0917 (the op's signature)
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,  # noqa: FBT001
    output_padding: Sequence[int],
    groups: int,
    output_mask: Sequence[bool],
) -> Any:
    """Return the gradients of input, weight and bias, each where the mask asks for it."""
    windows = (stride, padding, dilation, transposed, output_padding)
    images, channels = x.shape[:2]
    is_depthwise = x.dim() == _RANK and channels == groups == weight.shape[0] and not transposed
    if not (is_depthwise and output_mask[1] and isinstance(images, int) and images > 1):
        return convolutions.convolution_backward(grad, x, weight, bias_sizes, *windows, groups, output_mask)
    others = (output_mask[0], False, output_mask[2])
    grad_x, _, grad_bias = convolutions.convolution_backward(
        grad, x, weight, bias_sizes, *windows, groups, others
    )
    alone = images * groups
    grads, places = (each.reshape(1, alone, *each.shape[2:]) for each in (grad, x))
    weights = weight.new_empty(alone, *weight.shape[1:])  # whose shape alone matters
    _, found, _ = convolutions.convolution_backward(
        grads, places, weights, None, *windows, alone, (False, True, False)
    )
    return grad_x, found.reshape(images, *weight.shape).sum(0), grad_bias


DECOMPOSITIONS = {aten.convolution_backward.default: convolution_backward}
