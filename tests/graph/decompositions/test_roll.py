"""Roll in every form, with dynamic sizes too."""

from __future__ import annotations

import torch


def test_forms(compiled):
    def function(x):
        return x.roll(2), x.roll(-7, 1), x.roll((1, 2), (0, -1)), torch.fft.fftshift(x)

    x = torch.randn(3, 4)
    torch.testing.assert_close(compiled(function)(x), function(x))


def test_dynamic_sizes(compiled):
    def function(x):
        return x.roll((3, -1), (0, 1)) * 2

    run = compiled(function, dynamic=True)
    for size in ((2, 5), (5, 3), (4, 4)):
        x = torch.randn(size)
        torch.testing.assert_close(run(x), function(x))
