"""What is computed of every other number of a row."""

from __future__ import annotations

import pytest
import torch


def rotated(x: torch.Tensor) -> torch.Tensor:
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even - odd * 2, odd + even * 3], -1).flatten(-2)


FUNCTIONS = {
    "one": lambda x: x[..., ::2] + 1,
    "rotated": rotated,
    "in threes": lambda x: x[..., 1::3].exp(),
    "a sum": lambda x: x[..., ::2].sum(-1),
    "rows too": lambda x: x[::2, ::3] * x[:1, ::3],
    "a product": lambda x: x[..., ::2] @ x[..., 1::2].transpose(-1, -2),
}


@pytest.mark.parametrize("shape", [(3, 8), (64, 96), (4, 16, 130)], ids=str)
def test_equal_to_eager(shape, each_equals_eager):
    functions = {name: f for name, f in FUNCTIONS.items() if name != "rows too" or len(shape) == 2}
    each_equals_eager(functions, torch.randn(shape), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["one", "rotated"])
def test_sizes_that_change(name, compiled):
    run = compiled(FUNCTIONS[name], dynamic=True)
    for rows in (3, 64, 65):
        x = torch.randn(rows, 96)
        torch.testing.assert_close(run(x), FUNCTIONS[name](x))
