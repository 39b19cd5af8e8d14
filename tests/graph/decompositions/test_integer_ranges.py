"""Integers evenly apart are torch's to count; floating-point numbers are ours."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_integers(dtype):
    def function(x):
        spaced = torch.linspace(4.3, 50, 50, dtype=dtype) + x, torch.linspace(-7, 50, 13, dtype=dtype) + x
        return *spaced, torch.linspace(x, 50, 9, dtype=dtype) + 1, torch.logspace(0, 2, 7, dtype=dtype) + x

    x = torch.tensor(2, dtype=dtype)
    for actual, expected in zip(torch.compile(function, backend="myjit_mlir")(x), function(x), strict=True):
        assert actual.dtype == expected.dtype
        assert torch.equal(actual, expected)


def test_floats(compiled):
    def function(x):
        return torch.linspace(4.3, 50, 50) + x, torch.logspace(0, 2, 7) + x

    x = torch.ones(())
    torch.testing.assert_close(compiled(function)(x), function(x))
