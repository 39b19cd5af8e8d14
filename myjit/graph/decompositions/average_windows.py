"""Average pooling of images and volumes of known sizes: a sum of slices, one for each place of the window.

IREE's loops over windows read elements one by one where windows lie apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from myjit.graph._lists import whole_list
from myjit.graph._windows import MOST_PLACES, padded, places, window_count

aten = torch.ops.aten


def avg_pool2d(x: Tensor, kernel_size: Sequence[int], *form: Any, **names: Any) -> Any:
    """Return the average of each window of images."""
    return _averages(aten.avg_pool2d, 2, x, kernel_size, *form, **names)


def avg_pool3d(x: Tensor, kernel_size: Sequence[int], *form: Any, **names: Any) -> Any:
    """Return the average of each window of volumes."""
    return _averages(aten.avg_pool3d, 3, x, kernel_size, *form, **names)


def _averages(  # noqa: PLR0917 (the op's signature)
    pool: Any,
    dims: int,
    x: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,  # noqa: FBT001, FBT002
    count_include_pad: bool = True,  # noqa: FBT001, FBT002
    divisor_override: int | None = None,
) -> Any:
    sizes = x.shape[-dims:]
    kernel, pads = whole_list(kernel_size, dims), whole_list(padding, dims)
    steps = whole_list(stride, dims) if stride else kernel
    if not all(isinstance(n, int) for n in sizes) or math.prod(kernel) > MOST_PLACES:
        form = (kernel, steps, pads, ceil_mode, count_include_pad, divisor_override)
        return pool(x.unsqueeze(0), *form).squeeze(0) if x.dim() == dims + 1 else NotImplemented
    if not x.is_floating_point():
        return NotImplemented
    windows = list(zip(sizes, kernel, steps, pads, strict=True))
    counts = [window_count(n, k, s, p, 1, ceil_mode=ceil_mode) for n, k, s, p in windows]
    wide, gaps = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x, [1] * dims
    found = places(padded(wide, kernel, steps, pads, gaps, counts, 0.0), kernel, steps, gaps, counts)
    total = reduce(torch.add, (value for _, value in found))  # row by row, as torch does
    if divisor_override != 1:
        total = total / (divisor_override or _elements(x, windows, counts, count_include_pad))
    return total.to(x.dtype)


def _elements(
    x: Tensor,
    windows: Sequence[tuple[int, int, int, int]],
    counts: Sequence[int],
    count_include_pad: bool,  # noqa: FBT001
) -> Any:
    """Return how many elements windows count, of an extent, a size, a step and a padding each.

    That is a number, or a tensor of one image where they differ.
    """
    total: Any = 1.0
    for dim, ((n, k, s, p), count) in enumerate(zip(windows, counts, strict=True)):
        pad = p if count_include_pad else 0
        if (count - 1) * s - p + k <= n + pad and p == pad:
            total = total * k  # none is cut
            continue
        starts = torch.arange(count, dtype=torch.float32, device=x.device) * s - p
        lengths = (starts + k).clamp(max=n + pad) - starts.clamp(min=-pad)
        total = total * lengths.view([-1, *[1] * (len(windows) - 1 - dim)])
    return total


DECOMPOSITIONS = {aten.avg_pool2d.default: avg_pool2d, aten.avg_pool3d.default: avg_pool3d}
