"""Bits of integers and a number."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8])
def test_bits(compiled, dtype):
    def function(x):
        return x & 6, x | 9, x ^ 5

    x = torch.tensor([-5, 0, 3, 4], dtype=dtype)
    assert all(map(torch.equal, compiled(function)(x), function(x)))


def test_truth_values_and_wide_numbers(compiled):
    def function(x, mask):
        return mask & 1, mask | 2, mask ^ True, x & 300

    x, mask = torch.tensor([-5, 127], dtype=torch.int8), torch.tensor([True, False])
    actual, expected = compiled(function)(x, mask), function(x, mask)
    torch.testing.assert_close(actual, expected)


def test_all_bits_of_large_numbers(compiled):
    def function(x, y):
        return -x, x % y

    x = torch.tensor([2**53 + 1, 2**63 - 2, -(2**63) + 1, 2**62 + 3, -3, 3, 0])
    y = torch.tensor([2, 2**30, 3, -5, 2, -2, 7])
    assert all(map(torch.equal, compiled(function)(x, y), function(x, y)))
