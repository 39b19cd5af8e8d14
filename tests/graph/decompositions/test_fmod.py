"""The remainder by a number keeps the sign of its left side."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("number", [3, 2.5, -3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_equal_to_eager(compiled, dtype, number):
    x = torch.arange(-8, 9).to(dtype)
    torch.testing.assert_close(compiled(torch.fmod)(x, number), torch.fmod(x, number))


def test_special_numbers_and_large_quotients(compiled):
    special = torch.tensor([0.0, -0.0, 1.0, -5.5, torch.inf, -torch.inf, torch.nan, 1e30, 0.1, 1e6])
    x, y = torch.meshgrid(special, special, indexing="ij")
    actual, expected = compiled(torch.fmod)(x, y), torch.fmod(x, y)
    torch.testing.assert_close(actual, expected, equal_nan=True)
    number = ~expected.isnan()
    assert torch.equal(actual.signbit()[number], expected.signbit()[number])
    torch.testing.assert_close(compiled(lambda x: torch.fmod(x, 0.1))(x), torch.fmod(x, 0.1), equal_nan=True)


@pytest.mark.parametrize("number", [300, -2, 1 << 20])
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16])
def test_numbers_out_of_range_wrap(each_equals_eager, dtype, number):
    x = torch.tensor([3, 40, 100]).to(dtype)
    functions = {"fmod": lambda x: torch.fmod(x, number + 1), "remainder": lambda x: (number + 1) % x}
    each_equals_eager(functions, x)


@pytest.mark.parametrize("number", [7, -7, 5.5, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.int8, torch.uint8])
def test_the_remainder_of_a_number(compiled, dtype, number):
    x = torch.tensor([3, 4, 5]).to(dtype)
    actual, expected = compiled(lambda x: number % x)(x), number % x
    torch.testing.assert_close(actual, expected)
