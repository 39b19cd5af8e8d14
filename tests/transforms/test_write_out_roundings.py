"""Rounding to whole numbers, halves to even ones, where floats end and where they have no fractions."""

from __future__ import annotations

import pytest
import torch

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def around_halves(dtype: torch.dtype) -> torch.Tensor:
    """Quarters, numbers next to halves, numbers of all sizes, and what is not finite."""
    quarters = torch.arange(-40, 41, dtype=torch.float64) / 4
    halves = torch.arange(-9, 10, dtype=torch.float64) + 0.5
    near = torch.stack([halves.to(dtype).nextafter(torch.tensor(end, dtype=dtype)) for end in (-99, 99)])
    bits = torch.finfo(dtype).eps ** -1
    ends = torch.tensor([0.25, 0.5, 1, 2, 4]).double() * bits
    ends = torch.cat([ends, ends - 0.5, ends + 0.5, ends + 1])
    others = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, 1e-45, -1e-45, 1e30, 0.49999997])
    numbers = (quarters, halves, ends, -ends, others, torch.randn(1000).double() * 1e4)
    return torch.cat([*(each.to(dtype) for each in numbers), near.flatten()])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_equal_to_eager(compiled, dtype):
    x = around_halves(dtype)
    actual, expected = compiled(torch.round)(x), x.round()
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)
    assert torch.equal(actual.signbit(), expected.signbit())
    assert compiled(torch.round)(torch.full((20,), torch.nan, dtype=dtype)).isnan().all()


def test_quantized(compiled):
    def function(x):
        return (x / 0.1).round().clamp(-128, 127).to(torch.int8)

    x = torch.randn(33, 65) * 10
    assert torch.equal(compiled(function)(x), function(x))
