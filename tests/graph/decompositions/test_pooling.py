"""Pooling of one image, and with windows that are cut at the end."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "average of one image": lambda x: F.avg_pool2d(x[0], 2),
    "average along a line": lambda x: F.avg_pool1d(x[0, 0], 3, 2, 1),
    "cut": lambda x: F.max_pool2d(x, 2, ceil_mode=True, return_indices=True),
    "cut and padded": lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True),
    "with gaps": lambda x: F.max_pool2d(x, 2, 3, 1, 2, ceil_mode=True, return_indices=True),
    "of one image": lambda x: F.max_pool2d(x[0], 3, 2, ceil_mode=True),
    "of one image, whole windows": lambda x: F.max_pool2d(x[0], 3, 2, 1, return_indices=True),
    "along one line": lambda x: F.max_pool1d(x[0, 0], 2),
    "whole windows of a volume": lambda x: F.max_pool3d(x, (1, 2, 3), 2, (0, 1, 1), return_indices=True),
    "volume": lambda x: F.max_pool3d(x, (1, 2, 3), 2, ceil_mode=True, return_indices=True),
}


def test_equal_to_eager(each_equals_eager):
    each_equals_eager(FUNCTIONS, torch.randn(2, 3, 7, 8))


@pytest.mark.parametrize("placement", ["auto", "compiled"])
@pytest.mark.parametrize("ceil_mode", [False, True], ids=["whole", "cut"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_nan_and_infinity(compiled, dtype, ceil_mode, placement):
    def function(x):
        return F.max_pool2d(x, 2, 2, 1, ceil_mode=ceil_mode, return_indices=True)

    x = torch.full((1, 1, 4, 4), -float("inf"))
    x[0, 0, 2, 2] = float("nan")
    x[0, 0, 1, 1] = float("nan")
    x = x.to(dtype)
    torch.testing.assert_close(compiled(function, placement=placement)(x), function(x), equal_nan=True)


def test_gradient(compiled):
    x = torch.randn(2, 3, 7, 8, requires_grad=True)
    y = x.detach().clone().requires_grad_()

    def function(x):
        return F.max_pool2d(x, 3, 2, 1, ceil_mode=True).square().sum()

    compiled(function)(y).backward()
    function(x).backward()
    torch.testing.assert_close(y.grad, x.grad)
