"""Shifts by too much, or by less than nothing, leave what eager leaves."""

from __future__ import annotations

import pytest
import torch

DTYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
AMOUNTS = (-100, -1, 0, 1, 6, 7, 8, 15, 16, 31, 32, 63, 64, 100)


def _numbers(dtype):
    limits = torch.iinfo(dtype)
    return torch.tensor([limits.min, limits.max, 0, 1, 77], dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_by_numbers(compiled, dtype):
    def run(x):
        return [(x << n, x >> n) for n in AMOUNTS]

    x = _numbers(dtype)
    torch.testing.assert_close(compiled(run)(x), run(x))


def test_by_tensors(each_equals_eager):
    def run(x, y):
        return x << y, x >> y, torch.bitwise_left_shift(5, y), torch.bitwise_right_shift(-5, y)

    functions = {str(d): lambda pairs, i=i: run(*pairs[i]) for i, d in enumerate(DTYPES)}
    each_equals_eager(functions, [(_numbers(d)[:, None], torch.tensor(AMOUNTS).to(d)) for d in DTYPES])


def test_types_are_brought_together(compiled):
    def run(x, y):
        return x << y, x >> y[1]

    inputs = _numbers(torch.int8)[:, None], torch.tensor([1, 9, 70])
    torch.testing.assert_close(compiled(run)(*inputs), run(*inputs))
