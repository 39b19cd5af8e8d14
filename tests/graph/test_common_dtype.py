"""Numbers and 0-d tensors that do not fit the type of a tensor are wrapped, as in eager."""

from __future__ import annotations

import pytest
import torch

from myjit.errors import FallbackWarning

OPS = {
    "floor-divide": lambda x, n: x // n,
    "remainder": lambda x, n: x % n,
    "compare": lambda x, n: (x > n, x == n, x != n),
    "arithmetic": lambda x, n: x * n + n - (n - x),
    "divide": lambda x, n: x / n,
    "0-d": lambda x, n: torch.maximum(x, torch.tensor(n) + 1),
}


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32], ids=str)
@pytest.mark.parametrize("name", OPS)
def test_a_number_out_of_range(compiled, name, dtype):
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.min, 0, 3, limits.max], dtype=dtype)
    number = (1 << limits.bits) + limits.max - 5

    def run(x):
        return OPS[name](x, number)

    torch.testing.assert_close(compiled(run)(x), run(x))


def test_a_negative_number_and_bytes(compiled):
    x = torch.tensor([128, 5], dtype=torch.uint8)
    torch.testing.assert_close(compiled(lambda x: x == -128)(x), torch.tensor([True, False]))


@pytest.mark.parametrize("bounds", [(-5, 5), (None, -1), (3, 100)])
def test_bounds_of_bytes_wrap(compiled, bounds):
    x = torch.tensor([0, 3, 100, 120], dtype=torch.uint8)
    torch.testing.assert_close(compiled(lambda x: x.clamp(*bounds))(x), x.clamp(*bounds))


@pytest.mark.parametrize("limit", [1000, -1000])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
def test_bounds_in_0_d_tensors_wrap(compiled, dtype, limit):
    x, bound = torch.tensor([0, 3, 100, 120], dtype=dtype), torch.tensor(limit)
    torch.testing.assert_close(compiled(torch.clamp_max)(x, bound), torch.clamp_max(x, bound))
    torch.testing.assert_close(compiled(torch.clamp)(x, None, bound), torch.clamp(x, None, bound))


def test_a_float_is_no_integer(compiled):
    x = torch.tensor([3, 100], dtype=torch.int8)
    torch.testing.assert_close(compiled(lambda x: x > 2.5)(x), x > 2.5)


@pytest.mark.parametrize("number", [-2, 0, 1, 2, 3])
@pytest.mark.parametrize("constant", [-1.5, 0.0, 1.5, 2.5])
def test_whole_numbers_and_float64_constants(number, constant, compiled):
    def function(x):
        c = torch.full((), constant, dtype=torch.float64)
        compared = [c == number, c != number, c < number, c <= number, c > number, c >= number]
        computed = [c + number, c - number, number - c, c * number, c / (number or 1)]
        return [torch.where(b, x, x + 1) for b in compared], [x + y for y in computed]

    x = torch.randn(3)
    torch.testing.assert_close(compiled(function)(x), function(x))


def test_the_remainder_of_a_float64_constant_runs_in_torch():
    def function(x):
        return x + torch.full((), -1.5, dtype=torch.float64) % 1

    x = torch.randn(3)
    run = torch.compile(function, backend="myjit_mlir")
    with pytest.warns(FallbackWarning, match="remainder"):
        torch.testing.assert_close(run(x), function(x))
