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


def test_a_float_is_no_integer(compiled):
    x = torch.tensor([3, 100], dtype=torch.int8)
    torch.testing.assert_close(compiled(lambda x: x > 2.5)(x), x > 2.5)
