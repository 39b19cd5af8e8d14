"""What is written into a tensor comes after what reads it."""

from __future__ import annotations

import pytest
import torch


def outer_sums(x, y):
    v = x.clone()
    v[1:] = v[:-1].clone()
    sums = v.unsqueeze(0) + v.unsqueeze(1)
    w = v.clone()
    w[-2:] = y[-2:, None]
    return sums, torch.nn.functional.relu6(y), w


def products(x, y):
    v = torch.zeros_like(x)
    v[1:] = x[:-1]
    read = v @ v.T
    v[-2:] = y[-2:, None] * 2
    return read, y + 1, v


def columns(x, y):
    v = x.clone()
    v[:, 0] = 1
    sums = v.sum(0)
    v[:, -1] = y[: len(x)]
    return sums, y.square(), v, v.cumsum(0)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [outer_sums, products, columns], ids=lambda f: f.__name__)
def test_equal_to_eager(compiled, target, device, function, dynamic):
    run = compiled(function, target=target, dynamic=dynamic)
    for size in (20, 23) if dynamic else (20,):
        x, y = (torch.randint(-9, 9, shape, device=device).float() for shape in ((size, 2), (size + 9,)))
        for found, expected in zip(run(x, y), function(x, y), strict=True):
            torch.testing.assert_close(found, expected)
