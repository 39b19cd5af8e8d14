"""Ops under another name are compiled as the op that they are."""

from __future__ import annotations

import torch


def test_true_divide_is_div(compiled):
    def function(x, y):
        return torch.nn.functional.interpolate(x, scale_factor=2.0) + torch.true_divide(y, 3)

    run = compiled(function, dynamic=True)
    for rows in (3, 5):
        x, y = torch.randn(1, 2, rows, 4), torch.randn(1)
        torch.testing.assert_close(run(x, y), function(x, y))
