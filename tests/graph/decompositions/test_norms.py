"""Norms of all elements add up in float32."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("p", [0, 1, 2, 3.5, 4, torch.inf, -torch.inf])
def test_distance(compiled, p, dtype):
    a, b = (torch.randn(7, 300) * 6).to(dtype), torch.randn(300).to(dtype)
    actual = compiled(lambda a, b: torch.dist(a, b, p), dynamic=False)(a, b)
    torch.testing.assert_close(actual, torch.dist(a, b, p))
