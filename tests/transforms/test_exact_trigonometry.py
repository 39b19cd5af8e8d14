"""Every digit of sine, cosine, tangent and arc tangent, near their zeros and far from zero."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {"sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "atan": torch.atan}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, name):
    function = FUNCTIONS[name]
    scales = torch.tensor([1e-30, 1e-12, 1e-8, 1e-3, 1.0, 10.0, 1e3, 6e4, 1e6, 2e9, 1e12, 1e38])
    x = torch.cat(
        [torch.rand(12, 500).sub(0.5).mul(2 * scales[:, None]).flatten(), torch.tensor([3.1415927, 40.84])]
    )
    exact = function(x.double())
    relative = (compiled(function)(x).double() - exact).abs() / exact.abs()
    assert relative.max() < 4e-7


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits_of_float64(compiled, name):
    function = FUNCTIONS[name]
    scales = torch.tensor([1e-12, 1e-3, 1.0, 10.0, 1e3, 1e6, 1e9, 1e12, 1e20, 1e300], dtype=torch.float64)
    x = torch.rand(10, 500, dtype=torch.float64).sub(0.5).mul(2 * scales[:, None])
    torch.testing.assert_close(compiled(function)(x), function(x), rtol=2e-15, atol=1e-16)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_where_there_is_no_number(compiled, name):
    x = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan])
    actual, expected = compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x)
    torch.testing.assert_close(actual, expected, equal_nan=True)
    assert torch.equal(actual[:2].signbit(), expected[:2].signbit())


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.bool])
def test_types(compiled, dtype, name):
    x = torch.arange(-3, 4).to(dtype)
    torch.testing.assert_close(compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x))


def test_arc_tangents_on_each_target(compiled, target, device):
    x = torch.cat([torch.logspace(-36, 36, 2000), torch.linspace(0, 4, 4000)])
    x = torch.cat([x, -x, torch.tensor([torch.inf, -torch.inf])])
    actual = compiled(torch.atan, target=target)(x.to(device)).cpu()
    torch.testing.assert_close(actual, x.double().atan().float(), rtol=4e-7, atol=1e-37)
