"""Convolutions along lines, transposed convolutions, and the gradients of convolutions.

torch-mlir refuses some of them and gives the gradient of a grouped weight a shape that it does not have:
it is written outside of its memory. Transposed convolutions with more padding than kernel come out wrong, and
those in steps multiply mostly zeros.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.graph._transposed import convolve_transposed

aten = torch.ops.aten

#: Dimensions of a weight whose windows lie along a line.
_OF_LINES = 3
#: Bytes of a number of a half type.
_HALF = 2


def convolution(  # noqa: PLR0917 (the op's signature)
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,  # noqa: FBT001
    output_padding: Sequence[int],
    groups: int,
) -> Any:
    """Return a transposed convolution as a plain one, and one along a line as that of images of a single row.

    Compilers and libraries have more for images: IREE adds up lines of bfloat16 fifty times as slowly.
    """
    if weight.dim() == _OF_LINES and groups == 1:
        forms = [[start, *each] for start, each in ((1, stride), (0, padding), (1, dilation))]
        rows = (x.unsqueeze(2), weight.unsqueeze(2), bias, *forms)
        return aten.convolution(*rows, transposed, [0, *output_padding], groups).squeeze(2)
    if transposed:
        return convolve_transposed(x, weight, bias, stride, padding, dilation, output_padding, groups)
    return NotImplemented


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
    """Return the gradients of input, weight and bias, each where the mask asks for it.

    A transposed convolution is y = Cᵀx, where C is the convolution by the same weight; ⟨g, Cᵀx⟩ = ⟨Cg, x⟩:
    the gradient of x is Cg, and that of the weight is the one of C applied to g, whose gradient is x.
    """
    forms = (stride, padding, dilation)
    grad_x = grad_weight = grad_bias = None
    if output_mask[0]:
        missing = [0] * len(stride) if transposed else _missing(grad, x, weight, *forms)
        grad_x = aten.convolution(grad, weight, None, *forms, not transposed, missing, groups)
    if output_mask[1]:
        ends = (x, grad) if transposed else (grad, x)
        grad_weight = _of_weight(*ends, weight, *forms, groups)
    if output_mask[2]:
        grad_bias = grad.sum([0, *range(2, grad.dim())])
    return grad_x, grad_weight, grad_bias


def _missing(  # noqa: PLR0917 (the op's signature)
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> list[int]:
    """Return how many elements at the end of each dimension no window reached."""
    return [
        x.shape[dim] - (grad.shape[dim] - 1) * step + 2 * pad - apart * (weight.shape[dim] - 1) - 1
        for dim, step, pad, apart in zip(range(2, x.dim()), stride, padding, dilation, strict=True)
    ]


def _of_weight(  # noqa: PLR0917 (the op's signature)
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """Return the gradient of a convolution's weight: x convolved by the gradient, summed over the images.

    The images take the place of channels, and the channels of a group that of images. Where a kernel is one
    element, either may be convolved by the other, and this way around the result lies as the weight does.
    Of half types it is a product of all images side by side, since IREE has no vectors for the convolution.
    """
    images, inputs, none = x.shape[0], weight.shape[1], [0] * len(stride)
    is_pixel = groups == 1 and math.prod(weight.shape[2:]) == 1 and not any(padding)
    if is_pixel:
        for dim, step in enumerate(stride, 2):
            x = x[(slice(None),) * dim + (slice(None, None, step),)] if step > 1 else x
        stride = [1] * len(stride)
    if is_pixel and weight.dtype.itemsize == _HALF:
        rows, columns = (each.transpose(0, 1).reshape(each.shape[1], -1) for each in (grad, x))
        return (rows @ columns.t()).reshape(weight.shape)
    if is_pixel:
        ends = grad.transpose(0, 1), x.transpose(0, 1)
        return aten.convolution(*ends, None, stride, padding, stride, False, none, groups)
    swapped = x.transpose(0, 1)
    if groups > 1:
        by_group = x.reshape(images, groups, inputs, *x.shape[2:]).transpose(0, 2)
        swapped = by_group.reshape(inputs, groups * images, *x.shape[2:])
    kernel = grad.transpose(0, 1)
    found = aten.convolution(swapped, kernel, None, dilation, padding, stride, False, none, groups)
    for dim in range(2, weight.dim()):
        found = found.narrow(dim, 0, weight.shape[dim])
    return found.transpose(0, 1)


DECOMPOSITIONS = {
    aten.convolution.default: convolution,
    aten.convolution_backward.default: convolution_backward,
}
