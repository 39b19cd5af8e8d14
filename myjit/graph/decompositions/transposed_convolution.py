"""The backward of transposed convolution, by what it is the transpose of.

With y = Cᵀx, where C is the convolution by the same weight, ⟨g, Cᵀx⟩ = ⟨Cg, x⟩: the gradient of x is Cg,
and that of the weight is the one of a plain convolution of g whose result has the gradient x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


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
    if not transposed:
        return NotImplemented
    none = [0] * len(output_padding)
    grad_x = grad_weight = grad_bias = None
    if output_mask[0]:
        grad_x = aten.convolution(grad, weight, None, stride, padding, dilation, False, none, groups)
    if output_mask[1]:
        grad_weight = aten.convolution_backward(
            x, grad, weight, None, stride, padding, dilation, False, none, groups, [False, True, False]
        )[1]  # fmt: skip
    if output_mask[2]:
        grad_bias = grad.sum([0, *range(2, grad.dim())])
    return grad_x, grad_weight, grad_bias


DECOMPOSITIONS = {aten.convolution_backward.default: convolution_backward}
