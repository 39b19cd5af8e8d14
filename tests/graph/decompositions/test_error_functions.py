"""Every digit of small results, and no result where there is none."""

from __future__ import annotations

import pytest
import torch

SPECIAL = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-40, 3e38, -3e38])


@pytest.mark.parametrize("function", [torch.erfc, torch.special.erfcx], ids=["erfc", "erfcx"])
def test_digits(compiled, function):
    x = torch.cat([torch.linspace(-9, 9, 4001), torch.logspace(-20, 0.9, 1000), SPECIAL])
    actual, exact = compiled(function, dynamic=False)(x).double(), function(x.double())
    known = exact.isfinite() & (exact > torch.finfo(torch.float32).tiny) & (exact < 3e38)
    assert ((actual - exact).abs() / exact)[known].max() < 1e-6
    torch.testing.assert_close(actual[~known].float(), exact[~known].float(), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int32])
def test_types(compiled, dtype):
    x = torch.arange(-3, 4).to(dtype)
    torch.testing.assert_close(compiled(torch.erfc, dynamic=False)(x), torch.erfc(x))


def test_the_tail_of_the_normal_distribution(compiled):
    x = torch.linspace(-12, 3, 100)
    function = torch.special.log_ndtr
    torch.testing.assert_close(compiled(function, dynamic=False)(x), function(x))


def test_gradients(compiled):
    x = torch.randn(50, requires_grad=True)
    (actual,) = torch.autograd.grad(compiled(torch.erfc, dynamic=False)(x).sum(), x)
    (expected,) = torch.autograd.grad(torch.erfc(x).sum(), x)
    torch.testing.assert_close(actual, expected)
