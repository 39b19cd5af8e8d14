"""Variances, deviations and what is normalised by them."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F


def close(compiled, function, x, tolerance=1e-5):
    actual, expected = compiled(function)(x), function(x)
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def test_dimensions_and_corrections(each_equals_eager):
    def function(x, dim, correction):
        keep = torch.var(x, dim, correction=correction, keepdim=True)
        return keep, torch.var_mean(x, dim, correction=correction), torch.std(x, dim, correction=correction)

    functions = {
        f"{dim}, {correction}": lambda x, dim=dim, correction=correction: function(x, dim, correction)
        for dim in (None, 0, -1, (0, 2))
        for correction in (0, 1, 2.5)
    }
    each_equals_eager(functions, torch.randn(3, 4, 5) + 7, rtol=1e-5, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("shape", [(1,), (), (4, 1)])
def test_too_few_elements_give_nan(compiled, shape):
    close(compiled, lambda x: torch.std_mean(x, -1), torch.ones(shape))


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float16, 1e-3), (torch.bfloat16, 2e-2)]
)
def test_data_types(compiled, dtype, tolerance):
    close(compiled, lambda x: (x.var(1), F.layer_norm(x, (32,))), torch.randn(4, 32).to(dtype), tolerance)


def test_a_large_mean_costs_no_precision(compiled):
    close(compiled, lambda x: F.layer_norm(x, (256,)), torch.randn(4, 256) + 1000, 1e-2)


def test_dynamic_sizes(compiled):
    run = compiled(lambda x: x.std(0), dynamic=True)
    for rows in (4, 2, 9):
        x = torch.randn(rows, 3)
        torch.testing.assert_close(run(x), x.std(0))
