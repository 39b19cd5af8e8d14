"""Windows of images as columns, copied place by place of the window: torch gathers number by number."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._decomp.decompositions import im2col as torchs_im2col

from myjit.graph._windows import places

aten = torch.ops.aten

#: Places of a window at most: each is a copy.
_MOST = 36


def im2col(
    x: Tensor, kernel: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Sequence[int]
) -> Tensor:
    """Return the windows of images (N, C, H, W), or of one (C, H, W), as (N, C * places, windows)."""
    form = [list(each) for each in (kernel, dilation, padding, stride)]
    side_by_side = list(stride) == list(kernel) and list(dilation) == [1, 1]
    sizes = (*x.shape, *kernel, *padding)
    if not all(isinstance(size, int) for size in sizes) or (math.prod(kernel) > _MOST and not side_by_side):
        return torchs_im2col(x, *form)
    padded = aten.constant_pad_nd(x, [padding[1], padding[1], padding[0], padding[0]])
    counts = [
        (size - apart * (width - 1) - 1) // step + 1
        for size, width, apart, step in zip(padded.shape[-2:], kernel, dilation, stride, strict=True)
    ]
    if min(counts) <= 0:
        return torchs_im2col(x, *form)  # says what is wrong
    if side_by_side:
        columns = _cut(padded, kernel, counts)
    else:
        columns = torch.stack([part for _, part in places(padded, kernel, stride, dilation, counts)], -3)
    return columns.reshape([*x.shape[:-3], x.shape[-3] * math.prod(kernel), math.prod(counts)])


def _cut(x: Tensor, kernel: Sequence[int], counts: Sequence[int]) -> Tensor:
    """Return windows that lie side by side: (..., kernel, kernel, windows, windows)."""
    for dim, (width, count) in enumerate(zip(kernel, counts, strict=True)):
        x = x.narrow(dim - 2, 0, width * count)
    x = x.unflatten(-1, (counts[1], kernel[1])).unflatten(-3, (counts[0], kernel[0]))
    return x.movedim((-3, -1), (-4, -3))


DECOMPOSITIONS = {aten.im2col.default: im2col}
