"""Angles and lengths in every direction, of all sizes."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {"atan2": torch.atan2, "hypot": torch.hypot}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, name):
    function = FUNCTIONS[name]
    sizes = torch.logspace(-15, 15, 31)
    x, y = torch.randn(31, 1, 8) * sizes[:, None, None], torch.randn(1, 31, 8) * sizes[:, None]
    actual, exact = compiled(function, dynamic=False)(x, y), function(x.double(), y.double())
    relative = 5e-6 if name == "atan2" else 4e-7  # IREE's arc tangent has no more digits
    torch.testing.assert_close(actual.double(), exact, rtol=relative, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_length_of_special_numbers(compiled, dtype):
    values = torch.tensor([0.0, -0.0, 2.0, 6e4, torch.inf, -torch.inf, torch.nan]).to(dtype)
    x, y = torch.meshgrid(values, values, indexing="ij")
    actual = compiled(torch.hypot, dynamic=False)(x, y)
    torch.testing.assert_close(actual, torch.hypot(x, y), equal_nan=True)


def test_gradients(compiled):
    x, y = (torch.randn(40, requires_grad=True) for _ in range(2))
    actual = torch.autograd.grad(compiled(torch.atan2, dynamic=False)(x, y).sum(), (x, y))
    expected = torch.autograd.grad(torch.atan2(x, y).sum(), (x, y))
    torch.testing.assert_close(actual, expected)
