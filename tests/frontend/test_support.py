"""On the CPU, poolings that are asked where they found the largest elements run in torch."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import myjit


def reasons(function, x, **options):
    torch._dynamo.reset()
    explained = myjit.explain(function, x, options=options, show=False)
    return {(r.op, r.reason.name) for g in explained.graphs for r in g.rejections}


ceil_mode = pytest.mark.parametrize("ceil_mode", [False, True], ids=["floor", "ceil"])


@ceil_mode
@pytest.mark.parametrize("why", ["windows of many places", "channels last", "sizes that change"])
def test_training_leaves_some_places_to_torch(ceil_mode, why):
    size = 9 if why == "windows of many places" else 3

    def function(x):
        return F.max_pool2d(x.relu(), size, 2, 1, ceil_mode=ceil_mode) * 2

    pool = ("aten.max_pool2d_with_indices.default", "FASTER")
    x = torch.randn(1, 4, 10, 10)
    assert pool not in reasons(function, x.clone().requires_grad_(), placement="auto") or size > 3
    if why == "channels last":
        x = x.to(memory_format=torch.channels_last)
    elif why == "sizes that change":
        torch._dynamo.mark_dynamic(x, 3)
    assert pool in reasons(function, x.requires_grad_(), placement="auto")
    assert pool not in reasons(function, x.detach(), placement="auto")


@pytest.mark.parametrize("placement", ["auto", "compiled"])
def test_places_that_torch_is_asked_for(placement):
    def function(x):
        return F.max_pool2d(x.relu(), 3, 2, 1, return_indices=True)[1] * 2

    wanted = {"placement": placement, "torch_executed_ops": ("aten.max_pool2d_with_indices",)}
    found = reasons(function, torch.randn(1, 4, 10, 10), **wanted)
    assert ("aten.max_pool2d_with_indices.default", "REQUESTED") in found


@ceil_mode
def test_values_and_gradients(compiled, ceil_mode):
    def function(x):
        largest, places = F.max_pool2d(x.relu(), 3, 2, 1, ceil_mode=ceil_mode, return_indices=True)
        return largest.square() + places

    x, y = (torch.arange(2 * 3 * 100.0).view(2, 3, 10, 10).sin().requires_grad_() for _ in range(2))
    result = compiled(function, placement="auto")(x)
    torch.testing.assert_close(result, function(y))
    for each in (result, function(y)):
        each.sum().backward()
    torch.testing.assert_close(x.grad, y.grad)
