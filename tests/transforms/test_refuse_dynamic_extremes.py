"""Extremes of integers whose sizes change: right on every target, on CUDA by torch."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64], ids=str)
def test_equal_to_eager(compiled, target, device, dtype):
    def function(x):
        return x.amin(1), x.amax(1)

    run = compiled(function, target=target, dynamic=True, fallback="eager")
    for size in (7, 100, 1000):
        x = torch.randint(1, 100, (5, size), device=device).to(dtype)
        for given in (x, -x):
            for found, expected in zip(run(given), function(given), strict=True):
                assert torch.equal(found, expected)
