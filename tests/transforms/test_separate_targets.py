"""Tensors made of nothing, each of which is updated more than once."""

from __future__ import annotations

import pytest
import torch

TARGETS = {
    "zeros": lambda n: torch.zeros(n, 2),
    "sevens": lambda n: torch.full((n, 2), 7.0),
    "numbers": lambda n: torch.arange(n * 2).float().view(n, 2),
    "a diagonal": torch.eye,
    "a triangle": lambda n: torch.ones(n, n).tril(),
    "whole numbers": lambda n: torch.arange(n)[:, None],
    "truth": lambda n: (torch.arange(n) > 2)[:, None],
}


def updated(target, x):
    first, second = target.clone(), target.clone()
    first[:2] = x[:2, None].to(target.dtype)
    second[1:3] = x[2:4, None].to(target.dtype)
    third = target.index_put((torch.tensor([0, 3]),), x[0].to(target.dtype))
    return first, second, third, first.float() + second


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", TARGETS)
def test_updates_stay_apart(compiled, form, dynamic):
    def function(x):
        return updated(TARGETS[form](x.shape[0]), x)

    run = compiled(function, dynamic=dynamic)
    for size in (5, 8):
        x = torch.randn(size)
        torch.testing.assert_close(run(x), function(x))


@pytest.mark.parametrize("dynamic", [False, True])
def test_equal_targets_stay_apart(compiled, dynamic):
    def function(x):
        first, second = torch.ones_like(x), torch.ones_like(x)
        first[1:], second[:-1] = x[1:], x[:-1]
        return first, second, first * second

    run = compiled(function, dynamic=dynamic)
    for size in (5, 8):
        x = torch.randn(size)
        torch.testing.assert_close(run(x), function(x))


def test_gradients_of_two_slices(compiled):
    def function(x):
        return (x[:, None] * x[:5]).cumsum(0)

    run = compiled(function, dynamic=True)
    for size in (6, 9):
        x, y = (torch.linspace(-1, 1, size, requires_grad=True) for _ in range(2))
        function(x).sum().backward()
        run(y).sum().backward()
        torch.testing.assert_close(y.grad, x.grad)
