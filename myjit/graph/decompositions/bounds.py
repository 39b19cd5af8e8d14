"""Bounds that are tensors of types other than what they bound, or truth values."""

from __future__ import annotations

from functools import reduce
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def clamp(x: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Any:
    """Bring values between others, in the type of all together."""
    given = [each for each in (x, min, max) if each is not None]
    dtype = reduce(torch.promote_types, [torch.result_type(x, each) for each in given])
    if dtype is torch.bool:
        x = x if min is None else torch.logical_or(x, min)
        return x if max is None else torch.logical_and(x, max)
    if all(each.dtype is dtype for each in given):
        return NotImplemented
    return aten.clamp(*(each if each is None else each.to(dtype) for each in (x, min, max)))


DECOMPOSITIONS = {aten.clamp.Tensor: clamp}
