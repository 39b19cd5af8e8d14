"""Adaptive pooling to the largest element equals eager's, places included."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "evenly": lambda x: F.adaptive_max_pool2d(x, (3, 2), return_indices=True),
    "overlapping": lambda x: F.adaptive_max_pool2d(x, (4, 3), return_indices=True),
    "whole": lambda x: F.adaptive_max_pool2d(x, 1, return_indices=True),
    "more than there are": lambda x: F.adaptive_max_pool2d(x, (11, 8), return_indices=True),
    "of one image": lambda x: F.adaptive_max_pool2d(x[0], (4, 5), return_indices=True),
    "of lines": lambda x: F.adaptive_max_pool1d(x[0], 5, return_indices=True),
    "of volumes": lambda x: F.adaptive_max_pool3d(x, (2, 5, 3), return_indices=True),
    "channels last": lambda x: F.adaptive_max_pool2d(x.to(memory_format=torch.channels_last), (4, 3)),
}


def test_equal_to_eager(each_equals_eager):
    each_equals_eager(FUNCTIONS, torch.randn(2, 3, 9, 8))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_equal_elements_and_nan(compiled, dtype):
    x = torch.randint(0, 3, (4, 3, 9, 8)).to(dtype)
    x[0, 0, 2:4, 1:3] = float("nan")
    x[1] = -float("inf")
    run = compiled(FUNCTIONS["overlapping"])
    torch.testing.assert_close(run(x), FUNCTIONS["overlapping"](x), rtol=0, atol=0, equal_nan=True)
