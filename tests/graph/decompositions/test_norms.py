"""Norms of all elements add up in float32."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_distance(each_equals_eager, dtype):
    a, b = (torch.randn(7, 300) * 6).to(dtype), torch.randn(300).to(dtype)
    powers = [0, 1, 2, 3.5, 4, torch.inf, -torch.inf]
    functions = {str(p): lambda a, b, p=p: torch.dist(a, b, p) for p in powers}
    each_equals_eager(functions, a, b, options={"dynamic": False})
