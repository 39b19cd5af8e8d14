"""Whether any or all of many truth values hold, along every dimension."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "any": lambda x: (x > 2).any(),
    "all": lambda x: (x < 4).all(),
    "any of a row": lambda x: (x > 2).any(-1),
    "all of a row": lambda x: (x < 2).all(-1, keepdim=True),
    "any of a column": lambda x: (x > 2).any(0),
    "all of a column": lambda x: ((x < 2) & (x > -2)).all(0),
    "any of truth values": lambda x: ((x > 3) | x.isnan()).any(-1) & (x[..., 0] > 0),
    "any of numbers": lambda x: (x.int() // 2).any(-1),
    "none": lambda x: ~x.isnan().any(),
    "where": lambda x: torch.where((x > 2).any(-1, keepdim=True), x, 0),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64], ids=str)
@pytest.mark.parametrize("shape", [(1,), (3, 5), (64, 1000), (2000, 70)], ids=str)
def test_equal_to_eager(shape, dtype, each_equals_eager):
    each_equals_eager(FUNCTIONS, (torch.randn(shape) * 1.5).to(dtype))


@pytest.mark.parametrize("place", [0, 1, 40_000, 99_999])
def test_one_of_many(place, compiled):
    x = torch.zeros(100_000)
    x[place] = 1
    run = compiled(lambda x: ((x > 0).any(), (x == 0).all(), (x > 1).any()))
    assert [each.item() for each in run(x)] == [True, False, False]


def test_no_numbers(compiled):
    x = torch.zeros(3, 0)
    run = compiled(lambda x: ((x > 0).any(-1), (x > 0).all(-1)))
    assert [each.tolist() for each in run(x)] == [[False] * 3, [True] * 3]
