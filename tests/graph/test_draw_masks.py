"""Large masks are drawn by the kernel, with torch's values; small ones by torch."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import myjit
from myjit.runtime import masks


def seeded(function, x):
    torch.manual_seed(5)
    x = x.clone().requires_grad_()
    result = function(x)
    result.square().sum().backward()
    return result.detach(), x.grad, torch.get_rng_state()


def _layer(x):
    return F.dropout(F.dropout(x * 2, 0.1).relu(), 0.3) + 1


def _attention(x):
    heads = x.view(4, 2, 64, 32)
    return F.scaled_dot_product_attention(heads, heads, heads, dropout_p=0.2)


def _channels(x):
    return F.dropout2d(x.view(64, 128, 2, 1).expand(64, 128, 2, 3), 0.4).sin()


@pytest.mark.parametrize("function", [_layer, _attention, _channels])
def test_values_gradients_and_the_generator_are_torchs(compiled, function):
    x = torch.randn(64, 256)
    for found, expected in zip(seeded(compiled(function), x), seeded(function, x), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(("size", "op"), [(100, "aten.bernoulli.p"), (5000, "myjit.bernoulli.default")])
def test_which_op_draws(size, op):
    explained = myjit.explain(lambda x: F.dropout(x, 0.5), torch.randn(size), show=False)
    assert op in str(explained)


def test_sizes_that_change(compiled, monkeypatch):
    counts = []
    draw = masks._Kernel.draw
    monkeypatch.setattr(masks._Kernel, "draw", lambda *args: counts.append(args[2]) or draw(*args))
    run = compiled(lambda x: F.dropout(x * 2, 0.5), dynamic=True)
    for size in (5000, 90, 7001):
        x = torch.randn(size)
        torch.manual_seed(1)
        found = run(x)
        torch.manual_seed(1)
        torch.testing.assert_close(found, F.dropout(x * 2, 0.5))
    assert {5000, 7001} <= set(counts)
    assert 90 not in counts


def test_the_pass_can_be_left_out(compiled, monkeypatch):
    monkeypatch.setattr(masks._Kernel, "draw", None)
    run = compiled(lambda x: F.dropout(x, 0.5), pipeline=myjit.pipelines.get("cpu").without("draw-masks"))
    x = torch.randn(5000)
    torch.manual_seed(1)
    found = run(x)
    torch.manual_seed(1)
    torch.testing.assert_close(found, F.dropout(x, 0.5))
