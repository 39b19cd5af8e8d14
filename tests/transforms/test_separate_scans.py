"""A cumulative sum of something computed, with dynamic sizes."""

from __future__ import annotations

import torch


def test_dynamic_sizes(compiled):
    def function(x):
        steps = (x[:, 1:] - x[:, :-1]) != 1
        return steps.cumsum(-1) + 1

    run = compiled(function, dynamic=True)
    for size in ((3, 5), (2, 9), (4, 7)):
        x = torch.randint(0, 3, size)
        assert torch.equal(run(x), function(x))
