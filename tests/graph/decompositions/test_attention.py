"""Scaled dot product attention equals eager's fused kernel, forward and backward."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional as F

import myjit


def inputs(dtype=torch.float32, *, heads=4, kv_heads=4, length=6, kv_length=6):
    query = torch.randn(2, length, heads, 8, dtype=dtype).transpose(1, 2)
    key, value = (torch.randn(2, kv_heads, kv_length, 8, dtype=dtype) for _ in range(2))
    return query, key, value


def hidden_row():
    mask = torch.zeros(6, 6)
    mask[2] = -math.inf
    return mask


CASES = {
    "plain": ({}, {}),
    "causal": ({}, {"is_causal": True}),
    "causal-longer-keys": ({"kv_length": 9}, {"is_causal": True}),
    "scale": ({}, {"scale": 0.3}),
    "grouped": ({"kv_heads": 2}, {"enable_gqa": True}),
    "bool-mask": ({}, {"attn_mask": torch.arange(6)[:, None] >= torch.arange(6) - 2}),
    "float-mask": ({}, {"attn_mask": torch.linspace(-2, 2, 36).view(6, 6)}),
    "row-that-sees-nothing": ({}, {"attn_mask": hidden_row()}),
    "batched-mask": ({}, {"attn_mask": torch.linspace(-2, 2, 72).view(2, 1, 6, 6)}),
}


def run(function, tensors):
    leaves = [t.detach().clone(memory_format=torch.preserve_format).requires_grad_() for t in tensors]
    result = function(*leaves)
    (result.float() * torch.linspace(0, 1, result.numel()).view(result.shape)).sum().backward()
    return result.detach(), *[leaf.grad for leaf in leaves]


@pytest.mark.parametrize("name", CASES)
def test_forward_and_gradients(compiled, name):
    shapes, options = CASES[name]

    def function(query, key, value):
        return F.scaled_dot_product_attention(query, key, value, **options)

    tensors = inputs(**shapes)
    actual, expected = run(compiled(function), tensors), run(function, tensors)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
    assert actual[0].stride() == expected[0].stride()
    assert myjit.stats()["ops_fallback"] == 0


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_data_types(compiled, dtype):
    def function(query, key, value):
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)

    tensors = inputs(dtype)
    actual, expected = run(compiled(function), tensors), run(function, tensors)
    tolerance = {torch.float64: 1e-12, torch.float16: 1e-2, torch.bfloat16: 5e-2}[dtype]
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def test_multihead_attention(compiled):
    attention = torch.nn.MultiheadAttention(16, 2, batch_first=True)
    x = torch.randn(2, 5, 16)
    with torch.no_grad():
        actual, expected = compiled(attention)(x, x, x), attention(x, x, x)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
