"""Slices that `separate-unaligned` has left in kernels run in torch, where these kernels go by vectors."""

from __future__ import annotations

import pytest
import torch

from myjit.passes.pipeline import PIPELINES


@pytest.mark.vulkan
@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("target", ["vulkan"], indirect=True)
@pytest.mark.parametrize("rows", [8, 512])
def test_what_is_left_equals_eager(target, rows):
    pipeline = PIPELINES.get("vulkan").without("separate-unaligned")
    options = {"target": target, "pipeline": pipeline, "placement": "compiled"}
    run = torch.compile(lambda x: x[:, 1:513] * 2, backend="myjit_mlir", options=options, dynamic=False)
    x = torch.randn(rows, 1024)
    assert torch.equal(run(x), x[:, 1:513] * 2)
