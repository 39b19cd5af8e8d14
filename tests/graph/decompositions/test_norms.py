"""Norms of all elements add up in float32."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_distance(each_equals_eager, dtype):
    a, b = (torch.randn(7, 300) * 6).to(dtype), torch.randn(300).to(dtype)
    powers = [0, 1, 2, 3.5, 4, torch.inf, -torch.inf]
    functions = {str(p): lambda a, b, p=p: torch.dist(a, b, p) for p in powers}
    each_equals_eager(functions, a, b, options={"dynamic": False})


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_of_squares(dtype, each_equals_eager):
    functions = {
        "all": torch.linalg.vector_norm,
        "rows": lambda x: torch.linalg.vector_norm(x, dim=-1),
        "two dimensions": lambda x: torch.linalg.vector_norm(x, 2.0, (0, 2), keepdim=True),
        "another type": lambda x: torch.linalg.vector_norm(x, dim=1, dtype=torch.float64),
        "no dimension": lambda x: torch.linalg.vector_norm(x[0, 0, 0]),
        "similarity": lambda x: torch.nn.functional.cosine_similarity(x[0], x[1], dim=-1),
        "others": lambda x: [torch.linalg.vector_norm(x, p, -1) for p in (0, 1, 3, -2, torch.inf)],
    }
    each_equals_eager(functions, (torch.randn(3, 7, 300) * 6).to(dtype), options={"dynamic": False})


def test_gradient_of_nothing(compiled):
    x = torch.zeros(4, 5, requires_grad=True)
    compiled(lambda x: torch.linalg.vector_norm(x, dim=1).sum(), dynamic=False)(x).backward()
    assert torch.equal(x.grad, torch.zeros(4, 5))


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradient_of_a_weight_of_given_norm(compiled, dtype, dim):
    layer = torch.nn.Conv1d(3, 4, 5, dtype=dtype)
    torch.nn.utils.parametrizations.weight_norm(layer, dim=dim)
    x, parts = torch.randn(2, 3, 9, dtype=dtype), list(layer.parametrizations.weight.parameters())
    expected = torch.autograd.grad(layer(x).square().sum(), parts)
    actual = torch.autograd.grad(compiled(layer)(x).square().sum(), parts)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)
