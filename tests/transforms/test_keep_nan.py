"""NaN, infinity and -0 on Vulkan."""

from __future__ import annotations

import pytest
import torch

import myjit

pytestmark = pytest.mark.vulkan

INF, NAN = float("inf"), float("nan")
FUNCTIONS = {
    "difference": lambda x: x - x,
    "quotient": lambda x: x / x,
    "reciprocal": lambda x: 1 / (-x),
    "comparison": lambda x: (x >= -x) | x.isinf(),
    "relu": lambda x: x.relu(),
    "exponential": lambda x: x.exp(),
    "root": lambda x: x.sqrt(),
}


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("times", [1, 4096])  # of many numbers, kernels take four at a time
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64, torch.bfloat16], ids=str)
def test_as_in_torch(each_equals_eager, dtype, times):
    if not (available := myjit.is_available("vulkan")):
        pytest.skip(f"target {available}")
    x = torch.tensor([0.0, -0.0, 1.0, INF, -INF, NAN], dtype=dtype).repeat(times)
    functions = dict(FUNCTIONS)
    if dtype == torch.float64:
        exponential = {"exponential": functions.pop("exponential")}  # Vulkan has none, it runs in torch
        each_equals_eager(exponential, x, options={"target": "vulkan", "fallback": "eager"}, equal_nan=True)
    each_equals_eager(functions, x, options={"target": "vulkan"}, equal_nan=True)
