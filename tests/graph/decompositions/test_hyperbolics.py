"""Every digit of the hyperbolic functions, and no number where there is none."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, name):
    function = FUNCTIONS[name]
    scales = torch.tensor([1e-12, 1e-8, 1e-3, 1.0, 80.0, 1e4, 1e15, 1e30])
    x = torch.rand(8, 200).sub(0.5).mul(2 * scales[:, None])
    x = torch.cat([x.flatten(), 1 + torch.rand(200) * 1e-3])
    exact = function(x.double())
    known = exact.isfinite() & (exact != 0) & (exact.abs() < torch.finfo(torch.float32).max)
    actual = compiled(function)(x).double()
    relative = ((actual - exact).abs() / exact.abs())[known]
    assert relative.max() < 1e-6
    assert torch.equal(actual.isnan(), exact.isnan())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_where_there_is_no_number(compiled, name):
    x = torch.tensor([0.0, -0.0, 1.0, -1.0, torch.inf, -torch.inf, torch.nan, -9000.0])
    torch.testing.assert_close(compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64])
def test_types(compiled, dtype):
    x = torch.arange(-3, 4).to(dtype)
    torch.testing.assert_close(compiled(torch.asinh)(x), torch.asinh(x))


def test_cosines_that_a_half_type_holds(compiled):
    x = torch.tensor([11.1, -11.7, 12.0], dtype=torch.float16)
    torch.testing.assert_close(compiled(torch.cosh)(x), torch.cosh(x))
