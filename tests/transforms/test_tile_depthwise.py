"""Convolutions of single channels over rows of any length, and their gradients, equal eager."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F


@pytest.mark.parametrize(
    "after", [lambda y: y, lambda y: F.hardswish(y) + 1, lambda y: y.transpose(1, 3) * 2]
)
@pytest.mark.parametrize(("channels", "width"), [(16, 7), (20, 13), (3, 5), (8, 14), (24, 3), (1, 6)])
def test_rows_of_any_width(compiled, channels, width, after):
    x, weight = torch.randn(2, channels, 6, width), torch.randn(channels, 1, 3, 3)

    def function(x, weight):
        return after(F.conv2d(x, weight, padding=1, groups=channels))

    run = compiled(function, dynamic=False)
    torch.testing.assert_close(run(x, weight), function(x, weight), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("kernel", "size"), [(7, 14), (5, 10), (3, 9)])
def test_gradients_of_kernels(compiled, kernel, size):
    x, weight = torch.randn(1, 16, size, size), torch.randn(16, 1, kernel, kernel, requires_grad=True)
    own = weight.detach().clone().requires_grad_()

    def function(x, weight):
        return F.conv2d(x, weight, padding=kernel // 2, groups=16).square().mean()

    function(x, weight).backward()
    compiled(function, dynamic=False)(x, own).backward()
    torch.testing.assert_close(own.grad, weight.grad, rtol=1e-4, atol=1e-4)
