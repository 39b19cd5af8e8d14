"""GELU, in both forms, is as exact as eager's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_values_and_gradients(compiled, dtype: torch.dtype, approximate: str):
    def run(function):
        x = torch.linspace(-6, 6, 257, dtype=dtype, requires_grad=True)
        result = function(x)
        result.sum().backward()
        return result.detach(), x.grad

    def function(x):
        return F.gelu(x, approximate=approximate)

    torch.testing.assert_close(run(compiled(function)), run(function))
