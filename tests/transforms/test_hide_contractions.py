"""Sums to one number of products of what is broadcast, and of rows, are compiled, and equal eager."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "rows": ((20, 29), (29,), lambda x, y: (x * y).sum()),
    "the middle": ((20, 20, 29), (20, 1, 29), lambda x, y: (y * x).sum()),
    "fused": ((64, 128), (128,), lambda x, y: ((x + 1) * y).mean()),
    "more": ((64, 128), (128,), lambda x, y: (x * y + 1).sum()),
    "both": ((48, 1), (1, 33), lambda x, y: (x * y).sum()),
    "one row": ((1, 128), (128,), lambda x, y: (x * y).sum(1)),
    "squares": ((64, 129), (129,), lambda x, y: (x * x).sum(-1) + (y * y).sum()),
    "rows of both": ((130, 48), (130, 48), lambda x, y: (x * y).sum(0)),
    "odd rows of both": ((130, 37), (130, 37), lambda x, y: (x * y).sum(0)),
    "inner rows": ((3, 130, 64), (3, 130, 64), lambda x, y: (x * y).sum(1)),
    "outer rows": ((3, 130, 64), (3, 130, 64), lambda x, y: (x * y).sum((0, 1))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_equal_to_eager(compiled, name, dtype):
    first, second, function = FUNCTIONS[name]
    if dtype is torch.int64 and name == "fused":
        pytest.skip("no mean of integers")
    x, y = (torch.randint(-9, 9, shape).to(dtype) for shape in (first, second))
    torch.testing.assert_close(compiled(function)(x, y), function(x, y))


def test_zeros_and_what_is_not_finite(compiled):
    x, y = torch.zeros(3, 16), -torch.ones(16)
    assert compiled(lambda x, y: (x * y).sum())(x, y).item() == 0
    x[1, 2], x[2, 3] = float("inf"), 5
    assert compiled(lambda x, y: (x * y).sum())(x, y).item() == float("-inf")
