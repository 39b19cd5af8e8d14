"""Diagonals of one element."""

from __future__ import annotations

import torch

FORMS = {
    "column": lambda x: x[:, :1].diagonal() + 1,
    "row": lambda x: x[:1].diagonal() * 2,
    "below": lambda x: x.diagonal(-2, 0, 1).square(),
    "above": lambda x: x.diagonal(3, 0, 2).relu(),
    "of other dimensions": lambda x: x.diagonal(1, -1, 1)[..., :0].sum() + x[:, :2, :1].diagonal(1, -1, 1),
    "alone": lambda x: x[:, :1].diagonal(),
}


def test_equal_to_eager(each_equals_eager):
    each_equals_eager(FORMS, torch.randn(3, 4, 4))


def test_written_to(compiled):
    def function(x):
        y = x * 1
        y[:, :1].diagonal().fill_(7)
        return y

    x = torch.randn(3, 4, 2)
    assert torch.equal(compiled(function)(x), function(x))
