"""Reductions along sizes that are sums of others: none of their elements is left out."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "padded rows": lambda x: F.pad(x, (-1, 2)).sum(2),
    "largest of padded rows": lambda x: F.pad(x, (-1, 2)).amax(2),
    "mean of what is joined": lambda x: torch.cat([x.flatten(), x[0].flatten()]).mean(0, keepdim=True),
    "joined rows": lambda x: torch.cat([x, x[..., 1:]], 2).sum(2),
    "differences from a mean": lambda x: x - torch.cat([x, x * 2], 1).mean(1, keepdim=True),
}


@pytest.mark.parametrize("form", FUNCTIONS)
def test_sizes_that_change(compiled, target, device, form):
    run = compiled(FUNCTIONS[form], target=target, dynamic=True)
    for shape in ((12, 4, 12), (13, 7, 13), (23, 7, 40)):
        x = torch.randn(shape, device=device)
        torch.testing.assert_close(run(x), FUNCTIONS[form](x), rtol=1e-5, atol=1e-5)
