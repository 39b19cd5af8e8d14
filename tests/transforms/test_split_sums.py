"""Long sums are as exact as sums of parts are, whatever their shape."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

#: Equal numbers: each rounding of a sum that grows goes the same way.
TENTH = 0.1

FUNCTIONS = {
    "all": ((2**21,), lambda x: x.sum()),
    "of two dimensions": ((1024, 2048), lambda x: x.mean()),
    "kept": ((1024, 2048), lambda x: x.sum((0, 1), keepdim=True)),
    "of a transposed tensor": ((1024, 2048), lambda x: x.t().sum((0, 1))),
    "columns": ((2**16, 24), lambda x: x.sum(0)),
    "one column": ((2**20, 1), lambda x: x.sum(0)),
    "rows": ((3, 2**20), lambda x: x.sum(1)),
    "channels": ((8, 4, 128, 130), lambda x: x.sum((0, 2, 3))),
    "the middle": ((4, 2**14, 20), lambda x: x.sum(1, keepdim=True)),
    "weighted": ((1024, 2048), lambda x: (x * x[0]).sum()),
    "squares": ((2**20,), lambda x: ((x - 0.5) ** 2).mean()),
    "a norm": ((2**20,), lambda x: x.norm()),
    "no parts": ((1000003,), lambda x: x.sum()),
    "no parts of columns": ((100003, 8), lambda x: x.sum(0)),
    "no parts of either": ((1009, 1013), lambda x: x.sum()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sums_are_exact(compiled, name):
    shape, function = FUNCTIONS[name]
    x = torch.full(shape, TENTH)
    # The longest part has 1.1e-5 where vectors have eight lanes; sums without parts have 1e-2.
    torch.testing.assert_close(compiled(function)(x), function(x.double()).float(), rtol=2e-5, atol=0)


@pytest.mark.parametrize("name", ["all", "of two dimensions", "columns", "channels", "squares"])
def test_sums_of_sizes_that_change_are_exact(compiled, name):
    shape, function = FUNCTIONS[name]
    run = compiled(function, dynamic=True)
    for extra in (0, 3):
        x = torch.full((shape[0] + extra, *shape[1:]), TENTH)
        torch.testing.assert_close(run(x), function(x.double()).float(), rtol=1e-5, atol=0)


def test_whatever_is_reduced_equals_eager(each_equals_eager):
    functions = {
        "amax": lambda x: (x.amax(), x.amin((0, 2)), x.amax(1)),
        "any": lambda x: ((x > 4).any(), (x < 5).all(0)),
        "integers": lambda x: (x.long().sum(), x.int().amax(), x.long().sum((1, 2)), (x > 0).sum()),
        "halves": lambda x: (x.half() / 64).sum(),
        "doubles": lambda x: x.double().sum((0, 2)),
        "nothing to be split": lambda x: (x.argmax(), x.logsumexp((0, 1)), x.var()),
    }
    each_equals_eager(functions, torch.randn(33, 40, 100), rtol=1e-5, atol=1e-3)


def test_gradients(compiled):
    def loss(x, weight, bias):
        return (F.gelu(F.linear(x, weight, bias)) ** 2).mean()

    inputs = [torch.randn(4096, 16), torch.randn(8, 16) / 4, torch.randn(8)]
    leaves = [each.clone().requires_grad_() for each in inputs]
    exact = [each.double().requires_grad_() for each in inputs]
    compiled(loss)(*leaves).backward()
    loss(*exact).backward()
    for got, want in zip(leaves, exact, strict=True):
        torch.testing.assert_close(got.grad, want.grad.float(), rtol=1e-5, atol=1e-7)


def test_values_that_are_not_finite(each_equals_eager):
    x = torch.ones(2**17)
    x[70000] = float("inf")
    y = x.clone()
    y[3] = float("nan")
    functions = {"sum": lambda x, y: (x.sum(), y.sum()), "most": lambda x, y: (x.amax(), y.amax(), y.amin())}
    each_equals_eager(functions, x, y, equal_nan=True)


def test_extremes_whose_places_are_not_asked_for(each_equals_eager):
    functions = {
        "all": lambda x: (x.amax(), x.amin()),
        "columns": lambda x: (x.amax(0), x.max(0).values),
        "with places": lambda x: (*x.max(0), x.flatten().argmin()),
    }
    each_equals_eager(functions, torch.randn(1200, 40))
