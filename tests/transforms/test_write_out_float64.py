"""Functions of float64 that the CPU's code has not: every digit, and special numbers."""

from __future__ import annotations

import pytest
import torch

SPECIAL = torch.tensor(
    [0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-310, -5e-324, 1e308, 1e-17, 1.0, -1.0, 0.66]
)
FUNCTIONS = {
    "tanh": torch.tanh,
    "atan": torch.atan,
    "erf": torch.erf,
    "log2": torch.log2,
    "log10": torch.log10,
    "asin": torch.asin,
    "acos": torch.acos,
    "gelu": torch.nn.functional.gelu,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, name):
    function = FUNCTIONS[name]
    sizes = torch.logspace(-300, 300, 2001, dtype=torch.float64)
    x = torch.cat([sizes, -sizes, torch.linspace(-7, 7, 5601, dtype=torch.float64), SPECIAL.double()])
    actual, expected = compiled(function, dynamic=False)(x), function(x)
    torch.testing.assert_close(actual, expected, rtol=1e-15, atol=3e-16, equal_nan=True)


def test_powers_of_two(compiled):
    exponents = torch.arange(-1074, 1024, dtype=torch.float64)
    x = torch.ldexp(torch.ones((), dtype=torch.float64), exponents)
    assert torch.equal(compiled(torch.log2, dynamic=False)(x), exponents)


def test_decimal_logarithm_of_float32(compiled):
    x = torch.logspace(-44, 38, 5000)
    actual = compiled(torch.log10, dynamic=False)(x)
    torch.testing.assert_close(actual, torch.log10(x), rtol=3e-7, atol=1e-7)
