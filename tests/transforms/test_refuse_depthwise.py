"""Convolutions of single channels run in torch for Vulkan."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

import myjit

pytestmark = pytest.mark.vulkan


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("channels", [2, 3, 4, 8])
def test_values_and_where_they_come_from(compiled, channels):
    if not (available := myjit.is_available("vulkan")):
        pytest.skip(f"target {available}")

    def function(x, w):
        return functional.conv2d(x, w, groups=channels).relu()

    x, w = torch.randn(2, channels, 6, 6), torch.randn(channels, 1, 3, 3)
    torch.testing.assert_close(compiled(function, target="vulkan", fallback="eager")(x, w), function(x, w))
    assert myjit.stats()["ops_fallback"] == 1
