"""`view(dtype)` between types of one width is compiled, bit for bit; between others it runs in torch."""

from __future__ import annotations

import pytest
import torch

import myjit


@pytest.mark.parametrize(
    ("before", "after"),
    [(torch.float32, torch.int32), (torch.int64, torch.float64), (torch.int16, torch.bfloat16)],
)
def test_same_width(compiled, before, after):
    def function(x):
        return (x + 1).view(after) * 1

    x = torch.arange(-3, 4).to(before)
    torch.testing.assert_close(compiled(function, dynamic=True)(x), function(x), equal_nan=True)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_other_widths_fall_back():
    def function(x):
        return (x + 1).view(torch.int16) * 2

    x = torch.randn(4)
    assert torch.equal(torch.compile(function, backend="myjit_mlir")(x), function(x))
    assert "lowering" in myjit.stats()["fallback_reasons"]
