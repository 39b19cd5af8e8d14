"""Sizes and floats among tensors: on either side of every operator."""

from __future__ import annotations

import math
import operator

import pytest
import torch

OPERATORS = {
    name: getattr(operator, name)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "lt", "pow")
}


def _on_either_side(op):
    return lambda x: (op(x, x.shape[0]), op(x.shape[0], x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int64])
def test_on_either_side(each_equals_eager, dtype):
    x = torch.arange(1, 13).reshape(3, 4).to(dtype)
    functions = {name: _on_either_side(op) for name, op in OPERATORS.items()}
    if not dtype.is_floating_point:
        del functions["pow"]
    each_equals_eager(functions, x, options={"dynamic": True})


def test_floats_beside_float64_keep_their_digits(compiled):
    def function(x):
        return (
            math.pi - x,
            torch.rsub(x, math.pi, alpha=0.1),
            torch.atan2(x, x - 1),
            torch.linspace(0, 0.1, 12) + x,
        )

    x = torch.linspace(3.1, 3.2, 12, dtype=torch.float64)
    torch.testing.assert_close(compiled(function)(x), function(x), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_powers_of_integers(compiled, dtype):
    function = _on_either_side(operator.pow)
    x = torch.arange(1, 13).reshape(3, 4).to(dtype)
    torch.testing.assert_close(compiled(function, dynamic=True, fallback="eager")(x), function(x))


def test_a_tensor_without_dimensions_decides_the_type(each_equals_eager):
    def function(x, y):
        return x.shape[0] // y, x.shape[0] % y, y // x.shape[0], x.shape[0] - y

    dtypes = ["uint8", "int32", "int64"]
    functions = {name: lambda x, ys, name=name: function(x, ys[name]) for name in dtypes}
    ys = {name: torch.tensor(3, dtype=getattr(torch, name)) for name in dtypes}
    each_equals_eager(functions, torch.zeros(7), ys, options={"dynamic": True})


def test_places_counted_row_by_row(compiled):
    def function(x):
        places = torch.arange(x.numel(), device=x.device)
        return places // x.shape[1], places % x.shape[1]

    for shape in ((3, 5), (4, 7)):
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(function, dynamic=True)(x), function(x))


def test_pooling_along_one_of_two_equal_sizes(compiled):
    def function(x):
        return torch.nn.functional.adaptive_avg_pool2d(x, (5, None))

    x = torch.randn(1, 3, 8, 8)
    torch.testing.assert_close(compiled(function, dynamic=True)(x), function(x))
