"""Running sums, call after call: one that is wrong now and then is wrong."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("shape", [(7, 4), (40, 3), (9, 200)], ids=str)
@pytest.mark.parametrize("dim", [0, 1])
def test_equal_to_eager(compiled, target, device, shape, dim):
    def function(x):
        return x.flip(0).cumsum(dim)

    run = compiled(function, target=target)
    for _ in range(20):
        x = torch.randint(-9, 9, shape, device=device).float()
        assert torch.equal(run(x), function(x))
