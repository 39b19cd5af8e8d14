"""Sums of products whose parts are put side by side."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "a convolution": lambda x, w: F.pixel_shuffle(F.conv2d(x, w, padding=1), 2),
    "then more": lambda x, w: F.pixel_shuffle(F.conv2d(x, w).relu(), 4) * 2 + 1,
    "by a pixel": lambda x, w: F.pixel_shuffle(F.conv2d(x, w[:, :, :1, :1]) + 1, 2),
    "a product": lambda x, w: (
        (x[0, :, 0].t() @ w[:, :, 0, 0].t()).view(-1, 4, 8).transpose(1, 2).contiguous()
    ),
    "no sums": lambda x, w: F.pixel_shuffle(x.exp(), 2),
}


@pytest.mark.parametrize("images", [1, 3])
def test_equal_to_eager(images, each_equals_eager):
    x, w = torch.randn(images, 8, 9, 20), torch.randn(32, 8, 3, 3) / 8
    each_equals_eager(FUNCTIONS, x, w, rtol=1e-4, atol=1e-4)


def test_sizes_that_change(compiled):
    w = torch.randn(32, 8, 3, 3) / 8
    run = compiled(FUNCTIONS["a convolution"], dynamic=True)
    for size in (5, 8, 21):
        x = torch.randn(2, 8, size, size + 1)
        torch.testing.assert_close(run(x, w), FUNCTIONS["a convolution"](x, w), rtol=1e-4, atol=1e-4)
