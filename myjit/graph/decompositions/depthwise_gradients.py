"""Gradients of convolutions that give each channel of several images a kernel of its own.

Added up over images and places at once, a kernel's gradient is a convolution by groups, which IREE computes
one number at a time. Image by image it is one of single channels again.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from myjit.graph.decompositions import convolutions

aten = torch.ops.aten

#: The dimensions of images in a batch.
_RANK = 4


def convolution_backward(grad: Tensor, x: Tensor, weight: Tensor, bias_sizes: Any, *form: Any) -> Any:
    """Return the gradients of input, weight and bias, each where the mask asks for it."""
    backward: Any = convolutions.convolution_backward
    *windows, transposed, output_padding, groups, (of_x, of_weight, of_bias) = form
    images, channels = x.shape[:2]
    is_depthwise = x.dim() == _RANK and channels == groups == weight.shape[0] and not transposed
    if not (is_depthwise and of_weight and isinstance(images, int) and images > 1):
        return backward(grad, x, weight, bias_sizes, *form)
    windows += transposed, output_padding
    grad_x, _, grad_bias = backward(grad, x, weight, bias_sizes, *windows, groups, (of_x, False, of_bias))
    alone = images * groups
    grads, places = (each.reshape(1, alone, *each.shape[2:]) for each in (grad, x))
    weights = weight.new_empty(alone, *weight.shape[1:])  # whose shape alone matters
    _, found, _ = backward(grads, places, weights, None, *windows, alone, (False, True, False))
    return grad_x, found.reshape(images, *weight.shape).sum(0), grad_bias


DECOMPOSITIONS = {aten.convolution_backward.default: convolution_backward}
