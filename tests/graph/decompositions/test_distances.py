"""Distances of each vector to each, as in eager."""

from __future__ import annotations

import math

import pytest
import torch

MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@pytest.mark.parametrize("vectors", [5, 30])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_equal_to_eager(each_equals_eager, vectors, dtype):
    x, y = torch.randn(3, vectors, 7, dtype=dtype), torch.randn(3, 6, 7, dtype=dtype)
    functions = {
        f"{p}, {mode}": lambda x, y, p=p, mode=mode: torch.cdist(x, y, p, mode)
        for p in (0.0, 0.5, 1.0, 2.0, 3.0, math.inf)
        for mode in MODES
    }
    functions["of itself"] = lambda x, y: torch.cdist(x, x, 2.0, MODES[2])
    functions["spread"] = lambda x, y: torch.cdist(x[0], y)
    each_equals_eager(functions, x, y, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf])
def test_gradients(compiled, p):
    def loss(x, y):
        return torch.cdist(x, y, p, MODES[2]).square().sum()

    x, y = torch.randn(2, 6, 4, requires_grad=True), torch.randn(2, 5, 4, requires_grad=True)
    found = torch.autograd.grad(compiled(loss)(x, y), (x, y))
    torch.testing.assert_close(found, torch.autograd.grad(loss(x, y), (x, y)), rtol=1e-4, atol=1e-4)


def test_gradients_of_vectors_that_are_equal(compiled):
    x = torch.randn(6, 4)
    for p in (1.0, 2.0, 3.0, math.inf):
        actual, expected = x.clone().requires_grad_(), x.clone().requires_grad_()
        compiled(lambda x, p=p: torch.cdist(x, x.detach(), p).sum())(actual).backward()
        torch.cdist(expected, x, p).sum().backward()
        torch.testing.assert_close(actual.grad, expected.grad, rtol=1e-4, atol=1e-4)
