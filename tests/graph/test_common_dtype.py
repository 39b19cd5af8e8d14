"""Numbers and 0-d tensors that do not fit the type of a tensor are wrapped, as in eager."""

from __future__ import annotations

import math

import pytest
import torch

OPS = {
    "floor-divide": lambda x, n: x // n,
    "remainder": lambda x, n: x % n,
    "compare": lambda x, n: (x > n, x == n, x != n),
    "arithmetic": lambda x, n: x * n + n - (n - x),
    "divide": lambda x, n: x / n,
    "0-d": lambda x, n: torch.maximum(x, torch.tensor(n) + 1),
}


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32], ids=str)
def test_a_number_out_of_range(each_equals_eager, dtype):
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.min, 0, 3, limits.max], dtype=dtype)
    number = (1 << limits.bits) + limits.max - 5
    each_equals_eager({name: lambda x, op=op: op(x, number) for name, op in OPS.items()}, x)


def test_a_negative_number_and_bytes(compiled):
    x = torch.tensor([128, 5], dtype=torch.uint8)
    torch.testing.assert_close(compiled(lambda x: x == -128)(x), torch.tensor([True, False]))


def test_bounds_of_bytes_wrap(each_equals_eager):
    x = torch.tensor([0, 3, 100, 120], dtype=torch.uint8)
    bounds = [(-5, 5), (None, -1), (3, 100)]
    each_equals_eager({str(pair): lambda x, pair=pair: x.clamp(*pair) for pair in bounds}, x)


def test_bounds_in_0_d_tensors_wrap(each_equals_eager):
    functions = {
        f"{name} of {dtype} by input {place}": lambda xs, bounds, op=op, dtype=dtype, place=place: op(
            xs[dtype], bounds[place]
        )
        for name, op in {"clamp_max": torch.clamp_max, "clamp": lambda x, b: torch.clamp(x, None, b)}.items()
        for dtype in ("uint8", "int8")
        for place in (0, 1)
    }
    xs = {d: torch.tensor([0, 3, 100, 120], dtype=getattr(torch, d)) for d in ("uint8", "int8")}
    each_equals_eager(functions, xs, [torch.tensor(limit) for limit in (1000, -1000)])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_floats_are_compared_in_the_type_of_the_tensor(each_equals_eager, dtype):
    def compared(x, number):
        return x == number, x != number, x < number, x <= number, x > number, x >= number, number >= x

    x = torch.tensor([0.1, 0.7, 3.3, 1e-3, 2049, math.inf, math.nan]).to(dtype)
    zero_d = {n: torch.tensor(n, dtype=torch.float64) for n in (0.1, 0.7)}
    functions = {
        **{f"{n}": lambda x, _, n=n: compared(x, n) for n in (0.1, 0.7, 3.3, 1e-3, 2049, 1e300, -math.inf)},
        **{f"0-d {n}": lambda x, tensors, n=n: compared(x, tensors[n]) for n in zero_d},
    }
    each_equals_eager(functions, x, zero_d)


def test_a_float_is_no_integer(compiled):
    x = torch.tensor([3, 100], dtype=torch.int8)
    torch.testing.assert_close(compiled(lambda x: x > 2.5)(x), x > 2.5)
