"""Reductions of diagonals and windows."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "all of a diagonal": lambda x: x.diagonal().sum((0, -1)).remainder(7),
    "a diagonal's rows": lambda x: x.diagonal(0, 0, 1).sum(-1) + 1,
    "a diagonal's columns": lambda x: x.diagonal().sum(0).relu(),
    "a trace": lambda x: x[..., 0].trace(),
    "largest of a diagonal": lambda x: x.diagonal().amax(),
    "scaled": lambda x: (x.diagonal() * 2).reshape(-1).sum(),
    "all of windows": lambda x: x.unfold(0, 3, 2).sum(),
    "each window": lambda x: x.unfold(1, 3, 2).sum(-1),
    "across windows": lambda x: x.unfold(1, 3, 2).sum((0, 1)),
}


@pytest.mark.parametrize("shape", [(20, 20, 40), (5, 5, 3)], ids=str)
def test_equal_to_eager(each_equals_eager, target, device, shape):
    x = torch.randint(-3, 4, shape, device=device).float()
    each_equals_eager(FUNCTIONS, x, options={"target": target})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_alone(compiled, target, device, name):
    x = torch.randint(-3, 4, (20, 20, 40), device=device).float()
    torch.testing.assert_close(compiled(FUNCTIONS[name], target=target)(x), FUNCTIONS[name](x))
