"""Every digit of powers, also of those near the greatest and the least number."""

from __future__ import annotations

import pytest
import torch


def pairs(dtype=torch.float32):
    """Return numbers and exponents whose powers are from 1e-44 to 1e38."""
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(20_000, generator=generator, dtype=torch.float64).mul(240).sub(120).exp2().to(dtype)
    of_two = torch.rand(20_000, generator=generator, dtype=torch.float64).mul(270).sub(145)
    y = (of_two / x.double().log2()).clamp(-1e4, 1e4).to(dtype)
    return x, y


def test_digits(compiled):
    x, y = pairs()
    exact = x.double() ** y.double()
    torch.testing.assert_close(compiled(torch.pow)(x, y).double(), exact, rtol=1.5e-7, atol=3e-45)


@pytest.mark.parametrize("base", [2.0, 0.1, 1.0001, 10000.0])
def test_digits_of_powers_of_a_number(compiled, base):
    y = torch.linspace(-140, 127, 9999) / torch.tensor(base).log2()
    exact = torch.tensor(base).double() ** y.double()
    torch.testing.assert_close(compiled(lambda y: base**y)(y).double(), exact, rtol=1.2e-7, atol=3e-45)


def test_digits_of_powers_to_a_number(compiled):
    x, _ = pairs()
    exact = x.double() ** torch.tensor(0.37).double()
    torch.testing.assert_close(compiled(lambda x: x**0.37)(x).double(), exact, rtol=1.2e-7, atol=0)


def test_bases_near_one(compiled):
    x = 1 + torch.linspace(-1e-3, 1e-3, 9999)
    y = torch.full_like(x, 8e4)
    torch.testing.assert_close(
        compiled(torch.pow)(x, y).double(), x.double() ** y.double(), rtol=1.2e-7, atol=0
    )


def test_numbers_below_the_least_normal_one(compiled):
    x, y = torch.tensor([1e-45, 1e-40, 2e-38, 1e-39]), torch.tensor([0.5, -0.7, 1.1, 0.9])
    torch.testing.assert_close(
        compiled(torch.pow)(x, y).double(), x.double() ** y.double(), rtol=2e-7, atol=1e-45
    )


@pytest.mark.parametrize("exponent", [9.0, -9.0, 33.0, 1e9, 0.5, -0.5, 127.0])
def test_exponents_that_are_not_multiplied_out(compiled, exponent):
    x = torch.tensor([-1.5, -1.0, -0.0, 0.0, 0.3, 1.0, 1.9, torch.inf, -torch.inf, torch.nan])
    actual, expected = compiled(lambda x: x**exponent)(x), x**exponent
    torch.testing.assert_close(actual, expected, rtol=3e-7, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_types(compiled, dtype):
    x, y = (part.to(dtype) for part in pairs())
    torch.testing.assert_close(compiled(torch.pow)(x, y), torch.pow(x, y))


def test_powers_on_each_target(compiled, target, device):
    x, y = (part.to(device) for part in pairs())
    x, y = x.clamp(1e-3, 1e3), y.clamp(-5, 5)
    actual = compiled(torch.pow, target=target)(x, y).cpu()
    torch.testing.assert_close(actual.double(), x.cpu().double() ** y.cpu().double(), rtol=1e-5, atol=0)
