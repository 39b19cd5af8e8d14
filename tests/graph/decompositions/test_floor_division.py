"""Quotients rounded down, of fractions and of large numbers, with infinities and zeros."""

from __future__ import annotations

import pytest
import torch

SPECIAL = torch.tensor([0.0, -0.0, 1.0, -1.0, 5.5, -5.5, torch.inf, -torch.inf, torch.nan, 1e30, 0.1])


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")  # IREE does not link float64's remainder
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_special_numbers(dtype):
    def function(x, y):
        return x // y

    x, y = torch.meshgrid(SPECIAL.to(dtype), SPECIAL.to(dtype), indexing="ij")
    actual = torch.compile(function, backend="myjit_mlir")(x, y)
    torch.testing.assert_close(actual, x // y, equal_nan=True)


def test_by_a_number(each_equals_eager):
    x = torch.cat([SPECIAL, (torch.rand(200) - 0.5) * 1e4])
    numbers = [0.1, -0.3, 7, 0.0]
    functions = {str(n): lambda x, n=n: torch.div(x, n, rounding_mode="floor") for n in numbers}
    each_equals_eager(functions, x, equal_nan=True)


def test_of_sizes(compiled):
    def function(x):
        return x * torch.div(x.shape[0], 2, rounding_mode="floor")

    run = compiled(function, dynamic=True)
    for size in (5, 8):
        assert torch.equal(run(torch.ones(size)), function(torch.ones(size)))


def test_all_bits_of_large_integers(compiled):
    def function(x, y):
        return x // 3, x // y, torch.div(x, 1073741824, rounding_mode="floor"), 5 // y

    x = torch.tensor([2**53 + 1, 2**63 - 2, -(2**63) + 1, 2**62 + 3, -3, 3, 0])
    y = torch.tensor([2, 2**30, 3, -5, 2, -2, 7])
    assert all(map(torch.equal, compiled(function)(x, y), function(x, y)))
