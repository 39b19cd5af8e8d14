"""The remainder by a number keeps the sign of its left side."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("number", [3, 2.5, -3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_equal_to_eager(compiled, dtype, number):
    x = torch.arange(-8, 9).to(dtype)
    torch.testing.assert_close(compiled(torch.fmod)(x, number), torch.fmod(x, number))
