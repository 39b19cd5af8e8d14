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


def _zeroed(s, value):
    s = s.clone()
    s[1:] = value
    return s


SLICED = {
    "zeros": lambda s, a, b: 0.0,
    "a number": lambda s, a, b: 1.0,
    "others": lambda s, a, b: b[1:],
    "computed": lambda s, a, b: b[1:].sin(),
    "itself": lambda s, a, b: s[:-1] * 2,
}


@pytest.mark.parametrize("name", SLICED)
def test_a_slice_is_read_before_its_tensor_is_updated(compiled, name):
    def function(scale, a, b):
        wide = scale.expand(2, 20, 130) * 3
        s = (wide * a).sum(0, keepdim=True).view(20, 130)
        first = torch.zeros(20, 130)
        first[1:] = s[1:]
        return (wide * b).sum(0) + first + _zeroed(s, SLICED[name](s, a, b)) + b.mean(1, keepdim=True)

    scale, a, b = torch.randn(()), torch.randn(2, 20, 130), torch.randn(20, 130)
    torch.testing.assert_close(compiled(function)(scale, a, b), function(scale, a, b), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_an_overwritten_slice(compiled, dynamic):
    def function(x):
        copy = x.clone()
        copy[1:] = x[1:]
        return x.std(1).sum() + (copy * x.repeat(2, 1, 1)).sum(2).sum()

    run = compiled(function, dynamic=dynamic)
    for size in (20, 23):
        x = torch.randn(size, 130, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        function(x).backward()
        run(y).backward()
        torch.testing.assert_close(y.grad, x.grad, rtol=1e-4, atol=1e-4)


def test_gradients_of_two_slices(compiled):
    def function(x):
        return (x[:, None] * x[:5]).cumsum(0)

    run = compiled(function, dynamic=True)
    for size in (6, 9):
        x, y = (torch.linspace(-1, 1, size, requires_grad=True) for _ in range(2))
        function(x).sum().backward()
        run(y).sum().backward()
        torch.testing.assert_close(y.grad, x.grad)


class Weights(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form
        self.row, self.rows = torch.nn.Parameter(torch.randn(6)), torch.nn.Parameter(torch.randn(4, 6))

    def forward(self, x):
        return WEIGHTS[self.form](self.row, self.rows, x)


def _filled(row, rows, x):
    wide, index = row.expand(4, 6) * 2, torch.tensor([1, 3])
    return wide.index_fill(0, index, 1.0) + x, wide.index_fill(0, index - 1, 5.0) * x, wide + x


def _set(row, rows, x):
    first, second = rows.clone(), rows.clone()
    first[0], second[1] = x[0], x[1]
    return first, second, first + second, rows + x


def _sliced(row, rows, x):
    wide = rows * 3
    first, second = wide.clone(), wide.clone()
    first[1:], second[:, 2] = 0, 7
    return wide[1:] + 0, first, second, x + wide


def _summed(row, rows, x):
    square = x.t() @ x
    wide = row.expand(4, 6)
    return torch.addmm(wide, x, square), torch.addmm(wide, x * 2, square), wide + 1


WEIGHTS = {"filled": _filled, "set": _set, "sliced": _sliced, "summed": _summed}


@pytest.mark.parametrize("form", WEIGHTS)
def test_what_is_made_of_weights_stays_apart(compiled, form):
    model, x = Weights(form), torch.randn(4, 6)
    run = compiled(model, freeze=True)
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(run(x), model(x))
