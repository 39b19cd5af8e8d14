"""Training steps equal eager, forward and gradients."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import myjit


def _embedding() -> nn.Module:
    return nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 50), nn.Flatten(0, 1))


def _conv() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    )


def _counters() -> nn.Module:
    """As many normalizations, each with a counter, as kernels have tensors at most."""
    return nn.Sequential(*(nn.BatchNorm2d(2) for _ in range(33)))


def _block() -> nn.Module:
    return nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)


CASES = {
    "mlp": (lambda: nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)), (4, 8)),
    "conv-batchnorm": (_conv, (4, 3, 8, 8)),
    "many-batchnorms": (_counters, (2, 2, 4, 4)),
    "transformer-block": (_block, (2, 8, 32)),
}


def _from_neighbour(name: str) -> ModuleType:
    """Import a file beside this one: the tests are no package."""
    spec = importlib.util.spec_from_file_location(f"e2e_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gradients_equal(ours: nn.Module, theirs: nn.Module) -> None:
    for (name, a), (_, b) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        assert a.grad is not None
        assert b.grad is not None
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-4, msg=name)
    for (name, a), (_, b) in zip(ours.named_buffers(), theirs.named_buffers(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.parametrize("name", CASES)
def test_training_step_equals_eager(compiled, name):
    build, shape = CASES[name]
    theirs = build()
    ours = copy.deepcopy(theirs)
    x = torch.randn(*shape)
    expected = theirs(x)
    expected.square().mean().backward()
    actual = compiled(ours)(x)
    actual.square().mean().backward()
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)
    gradients_equal(ours, theirs)
    assert myjit.stats()["ops_compiled"] > 0


def test_embedding_with_cross_entropy_equals_eager(compiled):
    theirs = _embedding()
    ours = copy.deepcopy(theirs)
    tokens, targets = torch.randint(0, 50, (4, 8)), torch.randint(0, 50, (32,))
    targets[3] = -100  # ignored

    def loss(model: nn.Module) -> torch.Tensor:
        return F.cross_entropy(model(tokens), targets)

    expected = loss(theirs)
    expected.backward()
    actual = compiled(loss)(ours)
    actual.backward()
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
    gradients_equal(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_nanogpt_follows_eagers_losses(compiled, dropout):
    theirs = _from_neighbour("nanogpt").NanoGPT(dropout)
    ours = copy.deepcopy(theirs)

    def losses(model, forward, compile_step):
        torch.manual_seed(1)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        step = compile_step(optimizer.step)
        found = []
        for _ in range(20):
            tokens = (torch.randint(0, 65, (4, 1)) + torch.arange(33)) % 65  # each is one more than the last
            loss = forward(tokens[:, :-1], tokens[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            step()
            found.append(loss.item())
        return found

    expected = losses(theirs, theirs, lambda step: step)
    # One of the two compiles the optimizer too.
    actual = losses(ours, compiled(ours), compiled if dropout else lambda step: step)
    assert actual == pytest.approx(expected, rel=1e-4)
    assert actual[-1] < actual[0] - 0.1
    assert myjit.stats()["safer_flags"] == 0
