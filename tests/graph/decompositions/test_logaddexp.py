"""Sums of exponentials, where one is infinite or no number."""

from __future__ import annotations

import pytest
import torch

SPECIAL = torch.tensor([0.0, 1.0, -50.0, 100.0, torch.inf, -torch.inf, torch.nan])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("function", [torch.logaddexp, torch.logaddexp2])
def test_equal_to_eager(compiled, function, dtype):
    x, y = torch.meshgrid(SPECIAL.to(dtype), SPECIAL.to(dtype), indexing="ij")
    torch.testing.assert_close(compiled(function)(x, y), function(x, y), equal_nan=True)
