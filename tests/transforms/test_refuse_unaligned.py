"""Slices that `separate-unaligned` has left in kernels run in torch."""

from __future__ import annotations

import pytest
import torch

import myjit
from myjit.errors import FallbackWarning
from myjit.passes.pipeline import PIPELINES


@pytest.mark.vulkan
@pytest.mark.parametrize("target", ["vulkan"], indirect=True)
def test_what_is_left_runs_in_torch(target):
    pipeline = PIPELINES.get("vulkan").without("separate-unaligned")
    options = {"target": target, "pipeline": pipeline, "placement": "compiled"}
    run = torch.compile(lambda x: x[:, 1:9] * 2, backend="myjit_mlir", options=options, dynamic=False)
    x = torch.randn(8, 16)
    with pytest.warns(FallbackWarning, match="IREE would begin this slice where a vector begins"):
        assert torch.equal(run(x), x[:, 1:9] * 2)
    assert myjit.stats()["ops_fallback"]
