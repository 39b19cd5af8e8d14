"""Bounds that are tensors of types other than what they bound, or truth values."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import common_type

aten = torch.ops.aten


def clamp(x: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Any:
    """Bring values between others, in the type of all together."""
    dtype = common_type(x, min, max)
    if dtype is torch.bool:
        x = x if min is None else torch.logical_or(x, min)
        return x if max is None else torch.logical_and(x, max)
    if all(each is None or each.dtype is dtype for each in (x, min, max)):
        return NotImplemented
    return aten.clamp(*(each if each is None else each.to(dtype) for each in (x, min, max)))


DECOMPOSITIONS = {aten.clamp.Tensor: clamp}
