"""Padding that cuts: on either side, on both, beside padding that adds."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("pad", [(-1, 2), (-2, -1), (0, 0, 1, -3), (1, -1, -1, 1, -1, -1)], ids=str)
def test_equal_to_eager(compiled, pad, dynamic):
    def function(x):
        return F.pad(x * 2, pad, value=1.5)

    x = torch.randn(3, 6, 7)
    torch.testing.assert_close(compiled(function, dynamic=dynamic)(x), function(x))


def test_gradients(compiled):
    def function(x):
        return F.pad(x, (-1, 2, 1, -2)).sin()

    x = torch.randn(4, 5, requires_grad=True)
    (actual,) = torch.autograd.grad(compiled(function, dynamic=False)(x).sum(), x)
    (expected,) = torch.autograd.grad(function(x).sum(), x)
    torch.testing.assert_close(actual, expected)
