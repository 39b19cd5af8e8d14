"""Sizes that an op fixes after they have been traced as any."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

import myjit

FUNCTIONS = {
    "gather": lambda x: x.gather(2, (x > 0).long()),
    "view": lambda x: (x * 2).view(x.shape[0], -1) + 1,
    "filled": lambda x: torch.full((x.shape[2],), 2.0) + x.shape[2],
    "pairs": lambda x: (x * 2).split(4, dim=2),
    "size": lambda x: (x.shape[2] - 1, x.shape[0] + 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_attention_fixes_the_last_size(compiled, name):
    def function(x):
        return FUNCTIONS[name](x), scaled_dot_product_attention(x[:, None], x[:, None], x[:, None])

    run = compiled(function, dynamic=True)
    for size in ((3, 5), (4, 7), (2, 9)):
        x = torch.randn(*size, 8)
        torch.testing.assert_close(run(x), function(x), rtol=1e-4, atol=1e-4)
    assert myjit.stats()["graphs"] == 1
