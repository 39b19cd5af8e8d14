"""Numbers out of range keep their low bits in a cast to a small integer."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16])
@pytest.mark.parametrize("source", [torch.float32, torch.float64])
def test_low_bits(compiled, source, dtype):
    x = torch.tensor([-1.5, -200.0, 300.0, 127.0, 70000.0, 0.0, 2.7], dtype=source)
    assert torch.equal(compiled(lambda x: (x * 1).to(dtype))(x), (x * 1).to(dtype))
