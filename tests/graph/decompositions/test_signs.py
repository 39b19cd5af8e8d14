"""Signs, of zeros too."""

from __future__ import annotations

import pytest
import torch

VALUES = [1.5, -1.5, 0.0, -0.0, float("inf"), -float("inf")]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.uint8])
def test_equal_to_eager(compiled, dtype):
    def function(x):
        return x.signbit(), x.copysign(-2.0).signbit(), x.copysign(0.0)

    x = torch.tensor(VALUES if dtype.is_floating_point else [0, 1, 100]).to(dtype)
    torch.testing.assert_close(compiled(function)(x), function(x), equal_nan=True)
