"""Reductions of what every step takes in alike, because all that depends on the elements was folded."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "a product with zero": lambda x: (x * 0 + 3).sum(1),
    "a difference": lambda x: (x - x + 2).prod(0),
    "a comparison": lambda x: (torch.eq(x, x).sum(), torch.ge(x, x).float().sum(1)),
    "a choice": lambda x: torch.where(torch.eq(x, x), 3.0, 5.0).var(1),
    "the one number in range": lambda x: x.clamp(3, 3).sum(1),
    "bits": lambda x: ((x ^ x) + 1).sum(1),
    "what one number says": lambda x: (x * 0 + x[0, 0]).sum(1),
    "windows": lambda x: F.avg_pool1d(torch.where(torch.eq(x, x), 3.0, 5.0)[None], 2),
    "norms": lambda x: F.layer_norm(torch.where(torch.eq(x, x), 3.0, 5.0), (x.shape[1],)),
    "sizes side by side": lambda x: torch.tensor(x.shape).prod(),
    "the largest": lambda x: ((x - x + 2).amax(1), (x - x + 2).argmax(0)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", FUNCTIONS)
def test_equal_to_eager(compiled, target, device, form, dynamic):
    run = compiled(FUNCTIONS[form], target=target, dynamic=dynamic, fallback="eager")
    for shape in ((4, 4), (6, 6), (5, 17)):
        x = torch.randint(-9, 9, shape, device=device)
        torch.testing.assert_close(run(x), FUNCTIONS[form](x), rtol=1e-5, atol=1e-3)  # norms of no variance
