"""Dropout draws eager's own masks and costs no partition each."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import myjit


def seeded(function, x):
    torch.manual_seed(3)
    x = x.clone().requires_grad_()
    result = function(x)
    result.square().sum().backward()
    return result.detach(), x.grad


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_values_and_gradients_equal_eager(compiled, p):
    def function(x):
        return F.dropout(x * 2, p) + 1

    x = torch.randn(64, 8)
    for actual, expected in zip(seeded(compiled(function), x), seeded(function, x), strict=True):
        torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64], ids=str)
@pytest.mark.parametrize("p", [0.05, 0.15, 0.45])
def test_kept_elements_are_scaled_as_in_eager(compiled, dtype, p):
    def function(x):
        return F.dropout(x, p)

    x = torch.randn(64, 128).to(dtype)
    for actual, expected in zip(seeded(compiled(function), x), seeded(function, x), strict=True):
        assert torch.equal(actual, expected)


def test_many_dropouts_make_one_partition_each_way(compiled):
    def function(x):
        for _ in range(4):
            x = F.dropout(torch.tanh(x) * 2, 0.5)
        return x

    x = torch.randn(16, 8)
    for actual, expected in zip(seeded(compiled(function), x), seeded(function, x), strict=True):
        torch.testing.assert_close(actual, expected)
    assert myjit.stats()["partitions"] == 2


def test_evaluation_keeps_everything(compiled):
    x = torch.randn(9)
    assert torch.equal(compiled(lambda x: F.dropout(x, 0.5, training=False) + 1)(x), x + 1)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.transpose(0, 2),
        lambda x: x[:, ::2].transpose(0, 1),
        lambda x: x[:1].expand(4, 8, 3).transpose(0, 2),
        lambda x: x[None].to(memory_format=torch.channels_last),
    ],
)
def test_masks_are_drawn_in_the_order_that_elements_lie_in(compiled, view):
    def function(x):
        return F.dropout(view(x) * 2, 0.5)

    x = torch.randn(4, 8, 3)
    for actual, expected in zip(seeded(compiled(function), x), seeded(function, x), strict=True):
        torch.testing.assert_close(actual, expected)
        assert actual.stride() == expected.stride()
