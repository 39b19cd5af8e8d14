"""Sizes as numbers among tensors: on either side of every operator."""

from __future__ import annotations

import operator

import pytest
import torch

OPERATORS = {
    name: getattr(operator, name)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "lt", "pow")
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int64])
@pytest.mark.parametrize("name", OPERATORS)
def test_on_either_side(compiled, name, dtype):
    def function(x):
        return OPERATORS[name](x, x.shape[0]), OPERATORS[name](x.shape[0], x)

    x = torch.arange(1, 13).reshape(3, 4).to(dtype)
    fallback = {"fallback": "eager"} if name == "pow" and not dtype.is_floating_point else {}
    torch.testing.assert_close(compiled(function, dynamic=True, **fallback)(x), function(x))


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
