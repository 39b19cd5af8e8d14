"""Ops that torch ends with a copy into the order of memory of their input."""

from __future__ import annotations

import pytest
import torch

OPS = {
    "lerp": lambda x: torch.lerp(x, x * 2, 0.25),
    "index_fill": lambda x: x.index_fill(1, torch.tensor([0]), 3.0),
}


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_values_and_strides(compiled, name, order):
    x = torch.randn(3, 4, 5).permute(order)
    result, expected = compiled(OPS[name])(x), OPS[name](x)
    torch.testing.assert_close(result, expected)
    assert result.stride() == expected.stride()
