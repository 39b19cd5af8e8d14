"""Products are rounded before something is added to them: what torch finds equal differs by nothing."""

from __future__ import annotations

import pytest
import torch

ALIKE = {
    "squares": lambda a, b: a * a - b * b,
    "roots": lambda a, b: (a * a - b * b).sqrt(),
    "products": lambda a, b: a * b.flip(0) - (b * a.flip(0)),
    "in a sum": lambda a, b: (a * a - b * b).abs().sum(-1),
    "three of them": lambda a, b: a * 3.3 + b * b - a * a - b * 3.3 + 0.1,
    "with what was kept": lambda a, b: (a * b, a * b + 1, (a * b).flip(0)),
}


@pytest.mark.parametrize("name", ALIKE)
@pytest.mark.parametrize("shape", [(5,), (64, 64)])
def test_equal_to_eager_to_the_bit(compiled, target, device, name, shape):
    a = torch.randn(shape, device=device)
    actual, expected = compiled(ALIKE[name], target=target)(a, a.clone()), ALIKE[name](a, a.clone())
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)


def test_float64(each_equals_eager):
    a = torch.randn(64, 64, dtype=torch.float64)
    functions = {name: lambda a, function=function: function(a, a * 1) for name, function in ALIKE.items()}
    each_equals_eager(functions, a, rtol=0, atol=0)


def test_sums_of_products_are_as_exact_as_ever(compiled):
    a, b = torch.randn(64, 4096), torch.randn(64, 4096)
    actual = compiled(lambda a, b: (a * b).sum(-1))(a, b)
    products = a.double() * b.double()
    # Half a unit in the last place of all sizes: adding up by vectors stays below, one by one does not.
    assert ((actual - products.sum(-1)).abs() < 2**-24 * products.abs().sum(-1)).all()
