"""Windows along the last dimensions of tensors, taken place by place: of each place a slice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

aten = torch.ops.aten

#: Poolings of windows of more places are left whole: each place is an operation.
MOST_PLACES = 49


def window_count(n: int, k: int, s: int, p: int, d: int, *, ceil_mode: bool) -> int:
    """Return the number of windows; with `ceil_mode` the last may be cut, but starts inside or before."""
    span = n + 2 * p - d * (k - 1) - 1
    count = (-(-span // s) if ceil_mode else span // s) + 1
    return count - 1 if ceil_mode and (count - 1) * s >= n + p else count


def padded(  # noqa: PLR0917 (what describes windows)
    x: Tensor,
    kernel: Sequence[int],
    steps: Sequence[int],
    pads: Sequence[int],
    gaps: Sequence[int],
    counts: Sequence[int],
    value: float,
) -> Tensor:
    """Return a tensor with `pads` before it, and as much behind as `counts` windows need."""
    around: list[int] = []
    sizes = x.shape[-len(kernel) :]
    for n, k, s, p, d, count in reversed(list(zip(sizes, kernel, steps, pads, gaps, counts, strict=True))):
        around += [p, max(0, (count - 1) * s + (k - 1) * d + 1 - n - p)]
    return F.pad(x, around, value=value) if any(around) else x


def places(
    x: Tensor, kernel: Sequence[int], steps: Sequence[int], gaps: Sequence[int], counts: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], Tensor]]:
    """Yield the places of a window, row by row, each with the elements there of all windows."""
    for place in itertools.product(*map(range, kernel)):
        value = x
        for dim, (offset, step, gap, count) in enumerate(zip(place, steps, gaps, counts, strict=True)):
            first = offset * gap
            last = first + (count - 1) * step + 1
            value = aten.slice.Tensor(value, dim - len(place), first, last, step)
        yield place, value
