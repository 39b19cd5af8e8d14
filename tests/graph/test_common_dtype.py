"""Numbers and 0-d tensors that do not fit the type of a tensor are wrapped, as in eager."""

from __future__ import annotations

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


def test_a_float_is_no_integer(compiled):
    x = torch.tensor([3, 100], dtype=torch.int8)
    torch.testing.assert_close(compiled(lambda x: x > 2.5)(x), x > 2.5)
