"""Narrow tiles change how fast, not what: for sizes that divide, and sizes that do not."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "windows": lambda x: F.adaptive_avg_pool3d(x, (3, 2, 5)),
    "remainders": lambda x: (x * 100).long() % 7,
    "sums of remainders": lambda x: torch.remainder((x * 100).int(), 5).sum(-1),
    "quotients of bytes": lambda x: (x * 10).to(torch.int8) // 3,
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name, dynamic):
    run = compiled(FUNCTIONS[name], dynamic=dynamic)
    for extra in (0, 3) if dynamic else (0,):
        x = torch.randn(3, 6, 8, 61 + extra)
        torch.testing.assert_close(run(x), FUNCTIONS[name](x))


@pytest.mark.parametrize("shape", [(5, 12, 5), (3, 8, 17), (4, 6, 40)], ids=str)
@pytest.mark.parametrize("function", [torch.logsumexp, torch.softmax, torch.var], ids=lambda f: f.__name__)
def test_reductions_of_rows_whose_places_are_quotients(compiled, function, shape):
    def program(x):
        return function((x[..., None] * x[..., None, :]).flip(1), 3)

    x = torch.randn(shape)
    torch.testing.assert_close(compiled(program)(x), program(x), rtol=1e-5, atol=1e-5)
