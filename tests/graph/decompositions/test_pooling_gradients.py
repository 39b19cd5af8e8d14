"""Gradients of pooling to the largest element equal eager's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

POOLINGS = {
    "adaptive": lambda x: F.adaptive_max_pool2d(x, (4, 3)),
    "adaptive, of lines": lambda x: F.adaptive_max_pool1d(x[0], 5),
    "adaptive, of volumes": lambda x: F.adaptive_max_pool3d(x, (2, 5, 3)),
    "of volumes": lambda x: F.max_pool3d(x, 2, 1, 1),
    "of volumes, cut": lambda x: F.max_pool3d(x, (1, 2, 3), 2, ceil_mode=True),
}


@pytest.mark.parametrize("name", POOLINGS)
def test_gradients(compiled, name):
    def loss(x):
        return POOLINGS[name](x).square().sum()

    x = torch.randn(2, 3, 9, 8)
    actual, expected = x.clone().requires_grad_(), x.clone().requires_grad_()
    compiled(loss)(actual).backward()
    loss(expected).backward()
    torch.testing.assert_close(actual.grad, expected.grad)
