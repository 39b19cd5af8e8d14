"""Truth values compared and added as numbers."""

from __future__ import annotations

import pytest
import torch

OPS = {
    "compared": lambda b, x: (b < x, b <= x, b > x, b >= x, x < b, x >= b),
    "compared with numbers": lambda b, x: (b < -3, b <= -1, b > -3, b >= 0.5, b > False, b < 2),
    "compared with 0-d": lambda b, x: (b > x[0], b < x[0]),
    "compared with their like": lambda b, x: (b < b.flip(0), b >= b.flip(0)),
    "added": lambda b, x: (b + True, b + False, b + b, b + x, True + b),
    "signs": torch.copysign,
}


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64, torch.float32, torch.bool])
def test_equal_to_eager(each_equals_eager, dtype):
    b = torch.tensor([True, False, True, True, False])
    each_equals_eager(OPS, b, torch.tensor([2, 0, -3, 60, -5]).to(dtype))
