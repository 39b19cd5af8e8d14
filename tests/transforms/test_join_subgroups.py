"""Sums over two loops that stay two, of lengths that a GPU's subgroups share out in odd numbers."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "pairs": lambda x: (x[..., None] - 2 * x[..., None, :]).sum((1, 2)),
    "largest of pairs": lambda x: (x[..., None] - x[..., None, :]).amax((1, 2)),
    "pairs less their mean": lambda x: _less_mean(x[..., None] * x[..., None, :]),
}


def _less_mean(pairs):
    return pairs - pairs.mean((1, 2), keepdim=True)


@pytest.mark.parametrize("form", FUNCTIONS)
@pytest.mark.parametrize("size", [24, 40])
def test_pairs(compiled, target, device, form, size):
    x = torch.randn(3, size, device=device)
    run = compiled(FUNCTIONS[form], target=target)
    torch.testing.assert_close(run(x), FUNCTIONS[form](x), rtol=1e-5, atol=1e-4)
