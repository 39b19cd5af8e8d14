"""Long sums of the half types are as good as eager's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "sum": lambda x: (x.sum(), x.sum(1), x.sum(1, dtype=x.dtype)),
    "mean": lambda x: (x.mean(), x.mean(0)),
    "cumsum": lambda x: x.cumsum(1),
    "scatter_add": lambda x: torch.zeros_like(x).scatter_add(1, torch.zeros_like(x, dtype=torch.int64), x),
    "norm": lambda x: (x.norm(dim=1), x.norm(1)),
    "pooling": lambda x: (F.avg_pool1d(x, 512), F.adaptive_avg_pool2d(x[None], 1)),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_equal_to_eager(each_equals_eager, dtype):
    x = torch.rand(4, 2048).to(dtype)
    each_equals_eager(FUNCTIONS, x, rtol=2 * torch.finfo(dtype).eps, atol=0)


def test_sums_as_truth_values_tell_whether_any_is_true(each_equals_eager):
    functions = {
        "sum": lambda x: (x.sum(dtype=torch.bool), x.sum(1, dtype=torch.bool)),
        "sum of truth values": lambda x: (x > 1).sum(0, dtype=torch.bool),
        "product": lambda x: x.prod(1, dtype=torch.bool),
    }
    each_equals_eager(functions, torch.tensor([[0.5, 2, 0], [0, 0, 0], [3, 3, -3]]))


@pytest.mark.parametrize("dynamic", [False, True])
def test_running_sums_of_float32_are_as_exact_as_eager(compiled, dynamic):
    def function(x, y):
        return x.cumsum(1), y.cumprod(1)

    x = torch.rand(3, 5000)
    y = x / 100 + 1
    for got, want in zip(compiled(function, dynamic=dynamic)(x, y), function(x, y), strict=True):
        torch.testing.assert_close(got, want, rtol=2e-7, atol=0)
