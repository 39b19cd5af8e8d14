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
@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_in_torch(compiled, name, dtype, times):
    if not (available := myjit.is_available("vulkan")):
        pytest.skip(f"target {available}")
    x = torch.tensor([0.0, -0.0, 1.0, INF, -INF, NAN], dtype=dtype).repeat(times)
    function = FUNCTIONS[name]
    fallback = "eager" if (name, dtype) == ("exponential", torch.float64) else "error"  # Vulkan has none
    torch.testing.assert_close(
        compiled(function, target="vulkan", fallback=fallback)(x), function(x), equal_nan=True
    )
