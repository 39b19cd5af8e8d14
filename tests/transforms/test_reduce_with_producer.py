"""Rows that are computed once, added up on the way and read again are what they are when computed twice."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

FORMS = {
    "sum": lambda x: (e := (x - x.amax(-1, True)).exp()) * e.sum(-1, True),
    "greatest": lambda x: (e := x.tanh()) / (1 + e.amax(-1, True)),
    "two sums": lambda x: (e := x.sigmoid()) * e.sum(-1, True) + e.amin(-1, True),
    "squares": lambda x: (e := torch.erf(x)) / e.square().sum(-1, True).sqrt(),
    "norm of an activation": lambda x: F.layer_norm(F.gelu(x), x.shape[-1:]),
    "both are results": lambda x: torch.stack([(e := (x - x.amax(-1, True)).exp()), e * e.sum(-1, True)]),
    "two functions": lambda x: (e := torch.erf(x) * (-x * x).exp()) - e.mean(-1, True),
    "powers": lambda x: (e := (x.abs() + 0.1) ** 1.3) - e.mean(-1, True),
    "attention": lambda x: F.scaled_dot_product_attention(x, x + 1, x - 1, attn_mask=x @ x.mT > 0),
}


@pytest.mark.parametrize("shape", [(3, 4, 16), (2, 5, 77), (2, 3, 300), (4, 2, 128), (2, 40, 33)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_values(shape, dtype, each_equals_eager):
    x = torch.randn(shape).to(dtype)
    close = 1e-5 if dtype == torch.float32 else 2e-2
    each_equals_eager(FORMS, x, rtol=close, atol=close, equal_nan=True)
