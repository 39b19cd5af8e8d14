"""Adaptive pooling to the largest element, which has no lowering: one dimension after the other.

Windows along a dimension are of sizes that differ by one, and may overlap. Along each they are read place by
place, short ones their last place again. What was found lies where torch finds it: at the first place of the
largest, counted row by row, or at the last NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

#: Wider windows are left whole: each place is an operation.
_MOST_PLACES = 49


def adaptive_max_pool2d(x: Tensor, output_size: Sequence[int]) -> Any:
    """Return the largest of each window, and its place in the image."""
    return _largest(x, 2, output_size)


def adaptive_max_pool3d(x: Tensor, output_size: Sequence[int]) -> Any:
    """Return the largest of each window, and its place in the volume."""
    return _largest(x, 3, output_size)


def _largest(x: Tensor, dims: int, outputs: Sequence[int]) -> Any:
    sizes = x.shape[-dims:]
    if not all(isinstance(n, int) for n in (*sizes, *outputs)) or 0 in (*sizes, *outputs):
        return NotImplemented
    widest = max(_widest(n, o) for n, o in zip(sizes, outputs, strict=True))
    if widest > _MOST_PLACES or not x.is_floating_point():
        return NotImplemented
    best, place = x, torch.arange(sizes.numel(), device=x.device).view(sizes).expand(x.shape)
    for dim in range(-1, -dims - 1, -1):
        best, place = _along(best, place, dim, outputs[dim])
    return best, place


def _along(values: Tensor, places: Tensor, dim: int, outputs: int) -> tuple[Tensor, Tensor]:
    size = values.shape[dim]
    best, place = _read(values, dim, outputs, 0), _read(places, dim, outputs, 0)
    for offset in range(1, _widest(size, outputs)):
        value, where = _read(values, dim, outputs, offset), _read(places, dim, outputs, offset)
        larger = (value > best) | value.isnan()
        best, place = torch.where(larger, value, best), torch.where(larger, where, place)
    return best, place


def _widest(size: int, outputs: int) -> int:
    """Return how many places the widest window has."""
    return max(-(-(o + 1) * size // outputs) - o * size // outputs for o in range(outputs))


def _read(x: Tensor, dim: int, outputs: int, offset: int) -> Tensor:
    """Take the element at a place of each window: as a slice, where all windows are of one size."""
    size = x.shape[dim]
    if size % outputs == 0:
        return aten.slice.Tensor(x, dim, offset, size, size // outputs)
    window = torch.arange(outputs, device=x.device)
    last = ((window + 1) * size + outputs - 1) // outputs - 1
    return x.index_select(dim, torch.minimum(window * size // outputs + offset, last))


DECOMPOSITIONS = {
    aten.adaptive_max_pool2d.default: adaptive_max_pool2d,
    aten.adaptive_max_pool3d.default: adaptive_max_pool3d,
}
