"""Max pooling in the forms that have no lowering: of one image, of volumes, with a last window that is cut.

It goes over the window's places one after the other, each a slice of the padded input, and keeps
where it was found as torch does: the first place of the largest, the last NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.graph._lists import whole_list
from myjit.graph._windows import MOST_PLACES, padded, places, window_count

aten = torch.ops.aten


def max_pool2d_with_indices(  # noqa: PLR0917 (the op's signature)
    x: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """Return the largest of each window and its place in the image, counted row by row."""
    return _max_pool(x, 2, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)


def max_pool3d_with_indices(  # noqa: PLR0917 (the op's signature)
    x: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """Return the largest of each window and its place in the volume, counted row by row."""
    return _max_pool(x, 3, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)


def _max_pool(  # noqa: PLR0917
    x: Tensor,
    dims: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    *,
    ceil_mode: bool,
) -> Any:
    sizes = x.shape[-dims:]
    kernel, steps = whole_list(kernel_size, dims), whole_list(stride or kernel_size, dims)
    pads, gaps = whole_list(padding, dims), whole_list(dilation, dims)
    known = all(isinstance(s, int) for s in sizes)
    is_lowered = dims == 2 and x.dim() == dims + 2 and not ceil_mode  # of volumes, not where each was found
    if is_lowered or not known or math.prod(kernel) > MOST_PLACES or not x.is_floating_point():
        return NotImplemented
    outputs = [
        window_count(n, k, s, p, d, ceil_mode=ceil_mode)
        for n, k, s, p, d in zip(sizes, kernel, steps, pads, gaps, strict=True)
    ]
    starts = [torch.arange(o, device=x.device) * s - p for o, s, p in zip(outputs, steps, pads, strict=True)]
    best, place = None, None
    whole = padded(x, kernel, steps, pads, gaps, outputs, -math.inf)
    for offsets, value in places(whole, kernel, steps, gaps, outputs):
        here = _place(starts, [o * d for o, d in zip(offsets, gaps, strict=True)], sizes)
        if best is None or place is None:
            best, place = value, _first_place(starts, gaps, sizes).expand(value.shape)
            larger = value.isnan()
        else:
            larger = (value > best) | value.isnan()
        best, place = torch.where(larger, value, best), torch.where(larger, here, place)
    return best, place


def _place(starts: Sequence[Tensor], offsets: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """Return the place, counted row by row, of one element of each window."""
    return _flat([s + o for s, o in zip(starts, offsets, strict=True)], sizes)


def _first_place(starts: Sequence[Tensor], gaps: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """Return the place of each window's first element that is no padding."""
    inside = [torch.where(s < 0, s + torch.div(-s + (g - 1), g, rounding_mode="floor") * g, s)
              for s, g in zip(starts, gaps, strict=True)]  # fmt: skip
    return _flat(inside, sizes)


def _flat(coordinates: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    total = coordinates[0].view(-1, *[1] * (len(sizes) - 1))
    for dim in range(1, len(sizes)):
        total = total * sizes[dim] + coordinates[dim].view(-1, *[1] * (len(sizes) - 1 - dim))
    return total


DECOMPOSITIONS = {
    aten.max_pool2d_with_indices.default: max_pool2d_with_indices,
    aten.max_pool3d_with_indices.default: max_pool3d_with_indices,
}
