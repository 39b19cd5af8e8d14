"""Transposed convolutions as convolutions."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import torch
from torch import Tensor

from myjit.graph._spread import spread

aten = torch.ops.aten

#: Inputs of a group from which on multiplying any zeros costs more than several convolutions do, and how many
#: times as many numbers as a kernel has, zeros among them, cost more than that anyway.
_MANY_INPUTS, _UNEVEN = 96, 1.5


def convolve_transposed(  # noqa: PLR0917 (the op's signature)
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """Return the transposed convolution by a weight of shape [inputs, outputs of a group, *kernel].

    In steps of s, every s-th place of the result takes the same s-th part of the kernel, in reverse. The
    convolutions by all parts are one, of so many times the channels, whose places are then put side by side;
    those by parts of different sizes are several.
    Of a kernel that is spread itself the input is spread instead, with zeros between its elements.
    """
    if any(step > 1 < apart for step, apart in zip(stride, dilation, strict=True)):
        output_padding = [more + 1 - step for more, step in zip(output_padding, stride, strict=True)]
        x, stride = spread(x, stride), [1] * len(stride)
    kernel = weight.shape[2:]
    if math.prod(kernel) == 1 < max(stride):
        return _of_pixels(x, weight, bias, stride, padding, output_padding, groups)
    if _has_uneven_parts(x, weight, stride, groups):
        found = _place_by_place(x, weight, stride, padding, dilation, output_padding, groups)
        return found if bias is None else found + bias.reshape(-1, *[1] * len(kernel))
    parts = [-(-size // step) for size, step in zip(kernel, stride, strict=True)]
    first, sizes, sides = [], [], []
    for i, (count, step) in enumerate(zip(parts, stride, strict=True)):
        reach = dilation[i] * (count - 1)
        beyond = dilation[i] * (kernel[i] - 1) + 1 - 2 * padding[i] + output_padding[i]
        before = reach - padding[i] // step
        first.append(padding[i] % step)
        sizes.append((x.shape[2 + i] - 1) * step + beyond)
        sides.append((before, -(-(first[i] + beyond) // step) - 1 - before + reach))
    padded = _padded(x, sides)
    if not _has_large_weight(x, weight, stride, groups):
        found = _convolve(padded, weight, bias, stride, parts, dilation, groups)
        bias = None
    else:
        found = _add_up(padded, weight, stride, parts, dilation, groups)
    if max(stride) > 1:
        found = _side_by_side(found, stride)
        for i, (start, size) in enumerate(zip(first, sizes, strict=True)):
            found = found.narrow(2 + i, start, size)
    return found if bias is None else found + bias.reshape(-1, *[1] * len(kernel))


def _of_pixels(  # noqa: PLR0917 (what a convolution is made of)
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """Return what a kernel of one element gives in steps: what it gives without, with zeros between."""
    ones, none = [1] * len(stride), [0] * len(stride)
    found = spread(convolve_transposed(x, weight, None, ones, none, ones, none, groups), stride)
    sides = [
        (-pad, more + 1 - step - pad) for pad, more, step in zip(padding, output_padding, stride, strict=True)
    ]
    found = _padded(found, sides)
    return found if bias is None else found + bias.reshape(-1, *ones)


def _place_by_place(  # noqa: PLR0917 (what a convolution is made of)
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """Return the convolution by each place of a step, by the part of the kernel that reaches it."""
    rank, places, kernel = len(stride), x.shape[2:], weight.shape[2:]
    lasts = [
        dilation[i] * (kernel[i] - 1) + 1 - 2 * padding[i] + output_padding[i] for i in range(rank)
    ]  # places of the result from the last one of the input on
    more = [-(-last // step) for last, step in zip(lasts, stride, strict=True)]
    counts = [size - 1 + each for size, each in zip(places, more, strict=True)]
    ones, found = [1] * rank, []
    for place in itertools.product(*map(range, stride)):
        part, sides = weight, []
        for i, at in enumerate(place):
            further, first = divmod(at + padding[i], stride[i])
            part = part[(slice(None),) * (2 + i) + (slice(first, None, stride[i]),)]
            sides.append((dilation[i] * (part.shape[2 + i] - 1) - further, further + more[i] - 1))
        if math.prod(part.shape[2:]) > 0:
            found.append(_convolve(_padded(x, sides), part, None, ones, part.shape[2:], dilation, groups))
        else:
            found.append(x.new_zeros(x.shape[0], groups * weight.shape[1], *counts))
    made = _side_by_side(torch.stack(found, 2).flatten(1, 2), stride)
    for i, (size, step, last) in enumerate(zip(places, stride, lasts, strict=True)):
        made = made.narrow(2 + i, 0, (size - 1) * step + last)
    return made


def _has_uneven_parts(x: Tensor, weight: Tensor, stride: Sequence[int], groups: int) -> bool:
    """Tell whether parts of a kernel are so uneven that filling them up costs more than to take each alone.

    Where they have more inputs than there are places, turning them costs more (`_has_large_weight`).
    """
    kernel, inputs = weight.shape[2:], weight.shape[0] // groups
    filled = math.prod(-(-size // step) * step for size, step in zip(kernel, stride, strict=True))
    if _has_large_weight(x, weight, stride, groups):
        return False
    return filled > _UNEVEN * math.prod(kernel) or (filled > math.prod(kernel) and inputs > _MANY_INPUTS)


def _has_large_weight(x: Tensor, weight: Tensor, stride: Sequence[int], groups: int) -> bool:
    """Tell whether to turn a weight costs more than to keep products in memory."""
    inputs, places = weight.shape[0] // groups, math.prod((x.shape[0], *x.shape[2:]))
    return max(stride) > 1 and isinstance(places, int) and inputs > places


def _convolve(  # noqa: PLR0917 (what a convolution is made of)
    padded: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    parts: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """Return the places of every part, one part after the other for each channel, by one convolution."""
    times, rank = math.prod(stride), len(stride)
    if bias is not None and times > 1:
        bias = bias.unsqueeze(1).expand(-1, times).reshape(-1)
    by_part, none = _by_part(weight, stride, parts, groups), [0] * rank
    return aten.convolution(padded, by_part, bias, [1] * rank, none, dilation, False, none, groups)


def _add_up(  # noqa: PLR0917 (what a convolution is made of)
    padded: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    parts: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """Return what `_convolve` does, as sums of slices of a product of the weight as it lies and the input.

    Products of halves are rounded to them, their sums once more.
    """
    images, inputs, *places = padded.shape
    outputs, *kernel = weight.shape[1:]
    left = weight.reshape(groups, inputs // groups, -1).transpose(1, 2)
    right = padded.transpose(0, 1).reshape(groups, inputs // groups, -1)
    products = torch.bmm(left, right).reshape(groups * outputs, *kernel, images, *places)
    reach = [apart * (count - 1) for apart, count in zip(dilation, parts, strict=True)]
    found = []
    for place in itertools.product(*map(range, stride)):
        terms = []
        for part in itertools.product(*map(range, parts)):
            at = [step * i + r for step, i, r in zip(stride, part, place, strict=True)]
            if all(i < size for i, size in zip(at, kernel, strict=True)):
                term = products
                for i in at:
                    term = term.select(1, i)
                for i in range(len(at)):
                    term = term.narrow(2 + i, reach[i] - dilation[i] * part[i], places[i] - reach[i])
                terms.append(term.float() if term.dtype in (torch.float16, torch.bfloat16) else term)
        if terms:
            found.append(functools.reduce(torch.add, terms).to(products.dtype))
        else:
            sizes = [size - most for size, most in zip(places, reach, strict=True)]
            found.append(products.new_zeros(groups * outputs, images, *sizes))
    return torch.stack(found).movedim((2, 1, 0), (0, 1, 2)).flatten(1, 2)


def _by_part(weight: Tensor, stride: Sequence[int], parts: Sequence[int], groups: int) -> Tensor:
    """Return the weight's parts in reverse: [outputs of all groups and parts, inputs of a group, *parts]."""
    inputs, outputs, *kernel = weight.shape
    if max(stride) == 1:  # one part: a plain copy, which has fast code
        turned = weight.reshape(groups, inputs // groups, outputs, *kernel).transpose(1, 2)
        dims = list(range(3, turned.dim()))
        return turned.flip(dims).reshape(groups * outputs, inputs // groups, *kernel)
    sides = [(0, step * count - size) for size, step, count in zip(kernel, stride, parts, strict=True)]
    whole = _padded(weight, sides)
    apart = [size for count, step in zip(parts, stride, strict=True) for size in (count, step)]
    split = whole.reshape(groups, inputs // groups, outputs, *apart)
    counts, steps = ([3 + 2 * i + k for i in range(len(kernel))] for k in (0, 1))
    turned = split.flip(counts).permute(0, 2, *steps, 1, *counts)
    return turned.reshape(groups * outputs * math.prod(stride), inputs // groups, *parts)


def _padded(x: Tensor, sides: Sequence[tuple[int, int]]) -> Tensor:
    """Put so many zeros before and behind the last dimensions; take off what is negative."""
    pads = [pad for both in reversed(sides) for pad in both]
    return aten.constant_pad_nd(x, pads) if any(pads) else x


def _side_by_side(found: Tensor, stride: Sequence[int]) -> Tensor:
    """Put the places of each step's convolution side by side."""
    images, channels, *places = found.shape
    outputs, rank = channels // math.prod(stride), len(stride)
    split = found.reshape(images, outputs, *stride, *places)
    order = [dim for i in range(rank) for dim in (2 + rank + i, 2 + i)]
    sizes = [size * step for size, step in zip(places, stride, strict=True)]
    return split.permute(0, 1, *order).reshape(images, outputs, *sizes)
