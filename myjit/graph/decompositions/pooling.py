"""Max pooling in the forms that have no lowering: of one image, of volumes, with a last window that is cut.

And of images whose places are asked for (`myjit/placing.py`), which are lowered to lookups otherwise.
Each of a window's places is a slice of the padded input. Where the largest was found is, as in torch, the
first place that equals it, or the last NaN: all are compared, which vectors do faster than to look places up.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.graph._lists import whole_list
from myjit.graph._windows import MOST_PLACES, padded, places, window_count

aten = torch.ops.aten

#: The dimensions of images in a batch.
_RANK = 4


def max_pool2d_with_indices(  # noqa: PLR0917 (the op's signature)
    x: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """Return the largest of each window and its place in the image, counted row by row."""
    if x.dim() == _RANK and not ceil_mode:
        return NotImplemented  # there is a lowering
    return place_by_place(x, kernel_size, stride, padding, dilation, ceil_mode, dims=2)


def max_pool3d_with_indices(  # noqa: PLR0917 (the op's signature)
    x: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,  # noqa: FBT001, FBT002
) -> Any:
    """Return the largest of each window and its place in the volume, counted row by row."""
    return place_by_place(x, kernel_size, stride, padding, dilation, ceil_mode, dims=3)


def place_by_place(  # noqa: PLR0917 (what describes windows)
    x: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,  # noqa: FBT001, FBT002 (the op's)
    *,
    dims: int,
) -> Any:
    """Return the largest of each window along the last `dims` dimensions, and its place, counted row by row.

    Of sizes that change, of whole numbers and of windows of very many places that is `NotImplemented`.
    """
    sizes = x.shape[-dims:]
    kernel, steps = whole_list(kernel_size, dims), whole_list(stride or kernel_size, dims)
    pads, gaps = whole_list(padding, dims), whole_list(dilation, dims)
    known = all(isinstance(s, int) for s in sizes)
    if not known or math.prod(kernel) > MOST_PLACES or not x.is_floating_point():
        return NotImplemented
    outputs = [
        window_count(n, k, s, p, d, ceil_mode=ceil_mode)
        for n, k, s, p, d in zip(sizes, kernel, steps, pads, gaps, strict=True)
    ]
    whole = padded(x, kernel, steps, pads, gaps, outputs, -math.inf)
    windows = [
        (_flat([o * d for o, d in zip(offsets, gaps, strict=True)], sizes), value)
        for offsets, value in places(whole, kernel, steps, gaps, outputs)
    ]
    best = functools.reduce(torch.maximum, [value for _, value in windows])
    dtype = torch.int32 if math.prod(whole.shape[-dims:]) <= torch.iinfo(torch.int32).max else torch.int64
    place = torch.zeros(best.shape, dtype=dtype, device=x.device)
    for offset, value in reversed(windows):
        place = torch.where(value == best, offset, place)
    for offset, value in windows:
        place = torch.where(value.isnan(), offset, place)
    starts = [
        (torch.arange(count, dtype=dtype, device=x.device) * s - p).view(-1, *[1] * (dims - 1 - dim))
        for dim, (count, s, p) in enumerate(zip(outputs, steps, pads, strict=True))
    ]
    place = place + _flat(starts, sizes)
    if any(pads):  # what lies around is no less than a window's own elements
        place = torch.where(best == -math.inf, _flat(_inside(starts, gaps), sizes), place)
    return best, place.to(torch.int64)


def _inside(starts: Sequence[Tensor], gaps: Sequence[int]) -> list[Tensor]:
    """Return where each window's first element lies that is no padding."""
    return [
        torch.where(s < 0, s + torch.div(-s + (g - 1), g, rounding_mode="floor") * g, s)
        for s, g in zip(starts, gaps, strict=True)
    ]


def _flat(coordinates: Sequence[Any], sizes: Sequence[int]) -> Any:
    """Return places counted row by row, of their coordinates: numbers, or tensors that broadcast."""
    return functools.reduce(
        lambda total, each: total * each[0] + each[1], zip(sizes, coordinates, strict=True), 0
    )


DECOMPOSITIONS = {
    aten.max_pool2d_with_indices.default: max_pool2d_with_indices,
    aten.max_pool3d_with_indices.default: max_pool3d_with_indices,
}
