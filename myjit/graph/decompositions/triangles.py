"""The angle and the length of (x, y), right on the axes, of zeros, of infinities.

torch-mlir divides one by the other, so that zeros give NaN, and knows no length.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import float_type, wide_type

aten = torch.ops.aten


def atan2(y: Tensor, x: Tensor) -> Any:
    """Return the angle from the x axis to (x, y), from -pi to pi."""
    dtype = float_type(y, x)
    wide = wide_type(dtype)
    y, x = y.to(wide), x.to(wide)
    shorter, longer = torch.minimum(x.abs(), y.abs()), torch.maximum(x.abs(), y.abs())
    # Two zeros count as along the axis, two infinities as halfway between.
    ratio = torch.where(shorter == longer, (longer > 0).to(wide), shorter / longer)
    ratio = torch.where(longer.isnan(), math.nan, ratio)
    angle = torch.atan(ratio)
    angle = torch.where(y.abs() > x.abs(), math.pi / 2 - angle, angle)
    angle = torch.where(torch.signbit(x), math.pi - angle, angle)
    return torch.copysign(angle, y).to(dtype)


def hypot(x: Tensor, y: Tensor) -> Tensor:
    """Return the length, which may be finite where the squares are not."""
    dtype = float_type(x, y)
    wide = wide_type(dtype)
    x, y = x.to(wide).abs(), y.to(wide).abs()
    longer = torch.maximum(x, y)
    ratio = torch.where(longer > 0, torch.minimum(x, y) / longer, 0)
    length = longer * torch.sqrt(1 + ratio * ratio)
    return torch.where((x == math.inf) | (y == math.inf), math.inf, length).to(dtype)


DECOMPOSITIONS = {aten.atan2.default: atan2, aten.hypot.default: hypot}
