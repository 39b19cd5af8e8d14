"""Sums of truth values and small integers are exact: in int32 where they fit, and in int64 elsewhere."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "all": lambda x: x.sum(),
    "rows": lambda x: (x.sum(1), x.sum(0, keepdim=True), x.sum((0, 1))),
    "cast before": lambda x: (x.long().sum(1), x.int().sum(0), x.long().sum(dtype=torch.int64)),
    "another type": lambda x: (x.sum(dtype=torch.int32), x.sum(1, dtype=torch.float32)),
    "compared": lambda x: ((x > 0).sum(), x.count_nonzero(), x.count_nonzero(1)),
    "read as well": lambda x: (wide := x.long(), wide.sum(1, keepdim=True) + wide),
}


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32])
@pytest.mark.parametrize("dynamic", [False, True])
def test_equal_to_eager(each_equals_eager, dtype, dynamic):
    x = torch.randint(0, 2, (5, 300)) if dtype is torch.bool else torch.randint(-128, 128, (5, 300)) * 255
    each_equals_eager(FUNCTIONS, x.to(dtype), options={"dynamic": dynamic})


@pytest.mark.parametrize("shape", [(5, 300), (12, 144), (64, 64)])
def test_truth_values_on_every_target(each_equals_eager, target, device, shape):
    x = torch.randint(0, 2, shape, device=device) > 0
    functions = {name: FUNCTIONS[name] for name in ("all", "rows", "compared", "read as well")}
    each_equals_eager(functions, x, options={"target": target})


@pytest.mark.parametrize("count", [2**16 - 1, 2**16, 2**17])
def test_sums_that_do_not_fit_into_32_bits(compiled, count):
    x = torch.full((2, count), -(2**15), dtype=torch.int16)
    assert compiled(lambda x: x.sum(1))(x).tolist() == [-(2**15) * count] * 2


def test_nothing_is_added_up(each_equals_eager):
    each_equals_eager(FUNCTIONS, torch.zeros(3, 0, dtype=torch.bool))
