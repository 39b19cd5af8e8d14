"""NaN, infinities and zeros are told apart as torch does."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_special_values(compiled, dtype):
    def function(x):
        return x.isinf(), x.isnan(), x.isfinite(), x.isposinf(), x.isneginf(), torch.nan_to_num(x)

    x = torch.tensor([1.0, float("inf"), -float("inf"), float("nan"), 0.0, -0.0], dtype=dtype)
    assert all(map(torch.equal, compiled(function)(x), function(x)))


def test_integers_are_finite(compiled):
    x = torch.arange(3)
    assert torch.equal(compiled(lambda x: x.isfinite() & ~x.isinf())(x), torch.ones(3, dtype=torch.bool))
