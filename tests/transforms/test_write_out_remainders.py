"""Remainders are C's, to the last bit."""

from __future__ import annotations

import math

import pytest
import torch

INF, NAN = math.inf, math.nan
SMALL = [0.0, -0.0, 1e-320, 5e-324, -5e-324, 2.3e-308]
SPECIAL = [*SMALL, 0.1, 1, -1, 3, -7.5, 2**53 + 2, 1e300, -1.7e308, INF, -INF, NAN]


def remainder(x: float, y: float) -> float:
    return math.fmod(x, y) if math.isfinite(x) and y else NAN


def expected(x, y):
    x, y = torch.broadcast_tensors(x, y)
    found = [remainder(*each) for each in zip(x.flatten().tolist(), y.flatten().tolist(), strict=True)]
    return torch.tensor(found, dtype=torch.float64).view(x.shape)


def same(actual, wanted):
    torch.testing.assert_close(actual, wanted, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(actual.signbit() & ~actual.isnan(), wanted.signbit() & ~wanted.isnan())


def spread(count: int, width: float):
    """Return numbers of both signs, whose exponents differ."""
    random = torch.Generator().manual_seed(count)
    size, sign = (torch.randn(count, generator=random, dtype=torch.float64) for _ in "12")
    return torch.exp(size * width) * sign.sign()


def test_special_numbers(compiled):
    x, y = torch.meshgrid(*[torch.tensor(SPECIAL, dtype=torch.float64)] * 2, indexing="ij")
    same(compiled(torch.fmod)(x, y), expected(x, y))


@pytest.mark.parametrize("width", [2, 50, 200])
@pytest.mark.parametrize("count", [1, 1003])
def test_numbers_near_and_far(compiled, width, count):
    x, y = spread(count, width), spread(count + 1, width)[:-1]
    same(compiled(torch.fmod)(x, y), expected(x, y))


def test_several_kinds_in_one_program(each_equals_eager):
    x = spread(1003, 2)
    functions = {
        "rows": lambda x: (x[:1000].view(10, 100) % 7, x[:3] % 0.1),
        "numbers": lambda x: (x.sum() % 3, x // 3, torch.remainder(5.5, x)),
        "into a sum": lambda x: x.remainder(2).sum(),
        "of two types": lambda x: (x.float() % 3, x % 3),
    }
    each_equals_eager(functions, x)


def test_sizes_that_change(compiled):
    run = compiled(lambda x: x % 0.7, dynamic=True)
    for count in (5, 17):
        x = spread(count, 3)
        torch.testing.assert_close(run(x), x % 0.7, rtol=0, atol=0)


@pytest.mark.parametrize("width", [2, 8, 20])
@pytest.mark.parametrize("count", [1, 1003])
def test_float32(compiled, width, count):
    x, y = spread(count, width).float(), spread(count + 1, width)[:-1].float()
    same(compiled(torch.fmod)(x, y), expected(x, y).float())


def test_special_numbers_of_float32(compiled):
    numbers = torch.tensor(
        [each for each in SPECIAL if each == 0 or 1e-37 < abs(each) < 1e38 or math.isnan(each)]
    )
    numbers = torch.cat([numbers, torch.tensor([INF, -INF, 1e-45, -1e-40, 3.4e38])])
    x, y = torch.meshgrid(numbers, numbers, indexing="ij")
    same(compiled(torch.fmod)(x, y), expected(x, y).float())
