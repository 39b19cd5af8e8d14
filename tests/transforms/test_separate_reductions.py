"""Reductions and what uses their results, on Vulkan."""

from __future__ import annotations

import pytest
import torch

import myjit

pytestmark = pytest.mark.vulkan


@pytest.mark.parametrize(("shape", "dim"), [((64, 64), 0), ((2, 3, 20), 1), ((4, 100), 0)], ids=str)
def test_results_used_along_other_dimensions(compiled, shape, dim):
    if not (available := myjit.is_available("vulkan")):
        pytest.skip(f"target {available}")
    x = torch.rand(shape) + 0.1
    run = compiled(lambda v: v / v.sum(dim, keepdim=True), target="vulkan")
    torch.testing.assert_close(run(x), x / x.sum(dim, keepdim=True))
