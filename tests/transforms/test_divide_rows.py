"""Sums that are read while others are added up are added up once, whatever the number of rows."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "a sum and one that reads it": lambda x, d: (x.sum(d), (x - x.mean(d, keepdim=True)).abs().sum(d)),
    "two": lambda x, d: ((x * 1.5).sum(d), x.sum(d), (x - x.mean(d, keepdim=True)).abs().sum(d)),
    "and what they are of": lambda x, d: (
        (y := x * 1.5),
        y.sum(d),
        (x - x.sum(d, keepdim=True)).abs().sum(d),
    ),
    "with bytes": lambda x, d: (x.sum(d), (x - x.mean(d, keepdim=True)).abs().sum(d), (x > 0).byte()),
    "three": lambda x, d: (
        s := x.sum(d, keepdim=True),
        t := (x - s / 99).abs().sum(d, keepdim=True),
        (x * t - s).amax(d, keepdim=True),
    ),
}
SHAPES = [((3, 129, 16), (0, 2)), ((4, 1000, 6), (0, 2)), ((7, 16, 17, 7), (0, 3)), ((1001, 48), (-1,))]


@pytest.mark.parametrize(("shape", "dims"), SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name, shape, dims):
    x = torch.randn(shape)
    function = FUNCTIONS[name]
    results = compiled(function, dynamic=False)(x, dims)
    torch.testing.assert_close(results, function(x, dims), rtol=1e-4, atol=1e-3)
