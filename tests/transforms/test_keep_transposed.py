"""Products by transposed matrices of several batches equal eager, for queries and keys of every number."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

FUNCTIONS = {
    "attention": F.scaled_dot_product_attention,
    "scores": lambda q, k, v: q @ k.transpose(-1, -2) + 1,
    "masked": lambda q, k, v: (q @ k.mT).masked_fill(k[..., 0].unsqueeze(-2) > 0, -torch.inf),
    "both transposed": lambda q, k, v: q.mT.contiguous().mT @ k.mT @ v,
    "of halves": lambda q, k, v: q[..., :8] @ k[..., 8:].mT,
    "computed": lambda q, k, v: (q * 2) @ (k + v).mT,
    "permuted": lambda q, k, v: q @ k.transpose(1, 2).contiguous().permute(0, 2, 3, 1),
}


@pytest.mark.parametrize("sizes", [(1, 70), (5, 33), (130, 130)], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name, sizes):
    queries, keys = sizes
    q, k, v = (torch.randn(2, 3, n, 16) for n in (queries, keys, keys))
    run = compiled(FUNCTIONS[name], dynamic=False)
    torch.testing.assert_close(run(q, k, v), FUNCTIONS[name](q, k, v), atol=1e-4, rtol=1e-4)


def test_numbers_of_keys_that_change(compiled):
    run = compiled(F.scaled_dot_product_attention, dynamic=True)
    for keys in (5, 64, 131):
        q, k, v = (torch.randn(2, 3, n, 16) for n in (1, keys, keys))
        torch.testing.assert_close(run(q, k, v), F.scaled_dot_product_attention(q, k, v))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_other_types(compiled, dtype):
    q, k = (torch.randn(2, 3, n, 16).to(dtype) for n in (4, 33))
    run = compiled(lambda q, k: q @ k.mT)
    tolerance = 5e-2 if dtype is torch.bfloat16 else 1e-7
    torch.testing.assert_close(run(q, k), q @ k.mT, atol=tolerance, rtol=tolerance)
