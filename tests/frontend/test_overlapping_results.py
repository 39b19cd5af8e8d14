"""Gradients of results whose elements share memory equal eager."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "windows": lambda x: (x * 3).unfold(0, 2, 1),
    "windows of columns": lambda x: x.sin().unfold(1, 5, 2),
    "apart": lambda x: (x * 3).unfold(1, 2, 3),
    "expanded": lambda x: (x * 3).expand(4, *x.shape),
    "in steps": lambda x: (x * 3)[:, ::2],
    "by strides": lambda x: torch.as_strided(x * 3, (3, 8), (4, 1)),
    "several": lambda x: ((y := x * 3).unfold(1, 3, 1), y.t(), y),
}


@pytest.mark.every_variant
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_equal_eager(compiled, name):
    x = torch.randn(3, 77, requires_grad=True)
    run, function = compiled(FUNCTIONS[name], dynamic=False), FUNCTIONS[name]
    results = function(x) if name == "several" else [function(x)]
    weights = [torch.randn(value.shape) for value in results]
    actual = run(x) if name == "several" else [run(x)]
    (found,), (expected,) = (torch.autograd.grad(each, x, weights) for each in (actual, results))
    torch.testing.assert_close(actual, results)
    torch.testing.assert_close(found, expected)
