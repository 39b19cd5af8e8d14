"""Bounds of other types than what they bound."""

from __future__ import annotations

import pytest
import torch

OPS = {
    "above": lambda x, bound: x.clamp(bound),
    "below": lambda x, bound: torch.clamp(x, max=bound),
    "between": lambda x, bound: x.clamp(bound - 1, bound + 1) if bound.dtype != torch.bool else x,
    "one for all": lambda x, bound: x.clamp_max(bound[3]),
}


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float16])
@pytest.mark.parametrize("of_bounds", [torch.bool, torch.int64, torch.float32])
def test_equal_to_eager(each_equals_eager, dtype, of_bounds):
    x = torch.tensor([2, 0, -3, 60, -5]).to(dtype)
    bound = torch.tensor([1.5, 0, 7, -2, -7]).to(of_bounds)
    ops = dict(OPS)
    if dtype is of_bounds is torch.bool:
        ops.pop("one for all")  # eager has no such op
    each_equals_eager(ops, x, bound)


def test_truth_values_bounded_by_numbers(each_equals_eager):
    ops = {
        "whole": lambda b: b.clamp(-3, 100),
        "half": lambda b: b.clamp(max=0.5),
        "above": lambda b: b.clamp(1),
    }
    each_equals_eager(ops, torch.tensor([True, False]))
