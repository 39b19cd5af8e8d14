"""Adaptive averages count each window once, whatever the number of images and channels."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

POOLS = {
    "1d": (lambda x: F.adaptive_avg_pool1d(x, 5), (3, 4, 8)),
    "2d": (lambda x: F.adaptive_avg_pool2d(x, (5, 7)), (2, 64, 32, 33)),
    "3d": (lambda x: F.adaptive_avg_pool3d(x, (5, 7, None)), (3, 3, 8, 8, 6)),
    "3d, of one": (lambda x: F.adaptive_avg_pool3d(x, (5, 3, 2)), (3, 8, 8, 5)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", POOLS)
def test_equal_to_eager(compiled, name, dynamic):
    function, shape = POOLS[name]
    x = torch.randn(shape)
    torch.testing.assert_close(compiled(function, dynamic=dynamic)(x), function(x))
