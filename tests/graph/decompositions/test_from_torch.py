"""Ops that go by torch's own decompositions."""

from __future__ import annotations

import torch
from torch.nn import functional as F

FUNCTIONS = {
    "addmv": lambda x: torch.addmv(x[0], x, x[1], beta=2, alpha=3),
    "all over dimensions": lambda x: torch.all(x > -9, (0, 1)),
    "angle": lambda x: x.angle(),
    "copies of views": lambda x: (torch.permute_copy(x, (1, 0)), torch.view_copy(x, (2, 8))),
    "copy of a slice": lambda x: x.narrow_copy(0, 1, 2),
    "dist": lambda x: (torch.dist(x, x + 1, 2), torch.dist(x, x * 2, 1)),
    "index_reduce": lambda x: x.index_reduce(0, torch.tensor([0, 1, 0, 1]), x, "mean"),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, x * 2),
    "put": lambda x: x.put(torch.tensor([1, 5]), x[0, :2], accumulate=True),
    "bicubic": lambda x: F.interpolate(x[None, None], scale_factor=2.0, mode="bicubic"),
    "trilinear": lambda x: F.interpolate(x[None, None, None], size=(2, 3, 5), mode="trilinear"),
    "grid_sample": lambda x: F.grid_sample(x[None, None], x.reshape(1, 2, 4, 2), align_corners=False),
}


def test_equal_to_eager(each_equals_eager):
    each_equals_eager(FUNCTIONS, torch.randn(4, 4))
