"""Splits of dynamic sizes."""

from __future__ import annotations

import torch


def test_dynamic_sizes(compiled):
    def function(x):
        first, *_, last = x.split(3, 1)
        a, b = (x * 2).chunk(2, 0)
        return first + 1, last * 2, a.sum(), b.sum(0)

    run = compiled(function, dynamic=True)
    for size in ((4, 7), (2, 8), (6, 12)):
        x = torch.randn(size)
        torch.testing.assert_close(run(x), function(x))
