"""Powers, those of zeros, infinities, NaN and numbers below zero among them."""

from __future__ import annotations

import math

import pytest
import torch

INF, NAN = math.inf, math.nan
VALUES = [0.0, -0.0, 1, -1, 2, -2, 3, 0.5, -0.5, -3, INF, -INF, NAN, 1e-10, 1e4]
NUMBERS = [0, 1, 2, -1, -2, -3, 0.5, -0.5, 1.5, -2.5, 33, 40.0, INF, -INF, NAN]


def same(actual, expected):
    rtol = 1e-3 if expected.dtype in (torch.float16, torch.bfloat16) else 1e-5
    torch.testing.assert_close(actual, expected, rtol=rtol, atol=1e-40, equal_nan=True)
    signed = ~expected.isnan()
    assert torch.equal(actual.signbit()[signed], expected.signbit()[signed])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_tensors(compiled, dtype):
    x, y = torch.meshgrid(*[torch.tensor(VALUES, dtype=dtype)] * 2, indexing="ij")
    same(compiled(torch.pow)(x, y), torch.pow(x, y))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_numbers(compiled, dtype):
    def function(x):
        return *(x**n for n in NUMBERS), *(torch.pow(n, x) for n in NUMBERS)

    x = torch.tensor(VALUES, dtype=dtype)
    for actual, expected in zip(compiled(function)(x), function(x), strict=True):
        same(actual, expected)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
def test_integers(compiled, dtype):
    def function(x, y):
        return x**2, x**3, x**2.5, torch.float_power(x, y), torch.float_power(x, -2), torch.pow(2.5, x)

    x = torch.tensor([0, 0, 1, 2, 3, 11], dtype=dtype)
    y = torch.tensor([0, 1, 0, 3, 5, 2], dtype=dtype)
    for actual, expected in zip(compiled(function)(x, y), function(x, y), strict=True):
        torch.testing.assert_close(actual, expected)


def test_powers_of_two_times_a_tensor_have_eagers_types(each_equals_eager):
    x = torch.tensor([1.5, -3, 0.1, 7])
    functions = {
        f"{left} {right}": lambda x, left=left, right=right: torch.ldexp(x.to(left), (x * 3).to(right))
        for left in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.bool)
        for right in (torch.float32, torch.float16, torch.bfloat16, torch.int64)
    }
    each_equals_eager(functions, x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool])
def test_reciprocals(compiled, dtype):
    x = torch.tensor([0.0, -0.0, 1, 3, -7, math.inf, math.nan])
    x = x.to(dtype) if dtype.is_floating_point else x[:4].to(dtype)
    actual = compiled(lambda x: (x.reciprocal(), 2 / x))(x)
    torch.testing.assert_close(actual, (x.reciprocal(), 2 / x), rtol=0, atol=0, equal_nan=True)


def test_many_reciprocals_of_one_number_are_compiled_in_seconds(compiled):
    x = torch.tensor([-1.5])
    run = compiled(torch.special.log_ndtr, compile_timeout=60.0)
    torch.testing.assert_close(run(x), torch.special.log_ndtr(x))
