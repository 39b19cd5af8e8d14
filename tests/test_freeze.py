"""`freeze=True`: weights are packed when code is loaded, and again when they have changed."""

from __future__ import annotations

import threading

import pytest
import torch
from torch import nn

import myjit
from myjit.errors import FallbackWarning
from myjit.passes.pipeline import PIPELINES

#: Panels pack weights at each call: here these are packed once.
PACKED = PIPELINES.get("cpu").without("multiply-by-panels").with_option("pack-contractions.always", True)


def model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 32), nn.BatchNorm1d(32)).eval()


@pytest.fixture
def frozen(compiled):
    return lambda function, **options: compiled(function, freeze=True, pipeline=PACKED, **options)


def close(compiled, eager, x: torch.Tensor) -> None:
    torch.testing.assert_close(compiled(x), eager(x), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_changed_weights_are_seen(frozen):
    layers, x = model(), torch.randn(100, 64)
    run = frozen(layers)
    close(run, layers, x)
    layers[0].weight.mul_(2)  # in place
    close(run, layers, x)
    layers[2].weight.data = torch.randn(32, 96)  # other memory
    close(run, layers, x)
    layers[2].bias.zero_()
    close(run, layers, x)
    layers.load_state_dict(model().state_dict())
    close(run, layers, x)
    layers[3].running_mean.add_(1)  # a buffer
    close(run, layers, x)


@torch.no_grad()
def test_an_edit_through_data_is_not_seen_as_documented(frozen):
    layer, x = nn.Linear(64, 32), torch.randn(100, 64)
    run = frozen(layer)
    before = run(x)
    layer.weight.data.mul_(2)
    torch.testing.assert_close(run(x), before)


def test_without_it_an_edit_through_data_is_seen(compiled):
    layer, x = nn.Linear(64, 32), torch.randn(100, 64)
    with torch.no_grad():
        run = compiled(layer)
        run(x)
        layer.weight.data.mul_(2)
        close(run, layer, x)


def test_an_optimizer_step_between_evaluations(frozen):
    layers, x = model(), torch.randn(100, 64)
    run = frozen(layers)
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    for _ in range(3):
        with torch.no_grad():
            close(run, layers, x)
        optimizer.zero_grad()
        run(x).square().mean().backward()
        optimizer.step()
    assert all(p.grad is not None for p in layers.parameters())


@torch.no_grad()
def test_buffers_that_the_model_writes_are_not_held(frozen):
    layer, x = nn.BatchNorm1d(16), torch.randn(8, 16)
    twin = nn.BatchNorm1d(16)
    run = frozen(layer)
    for _ in range(3):
        torch.testing.assert_close(run(x), twin(x), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(layer.running_mean, twin.running_mean)


@torch.no_grad()
def test_weights_in_another_order_and_off_alignment(frozen):
    layer, x = nn.Linear(48, 40), torch.randn(100, 48)
    layer.weight = nn.Parameter(torch.randn(48, 40).t())
    layer.bias = nn.Parameter(torch.randn(41)[1:])
    close(frozen(layer), layer, x)


@torch.no_grad()
def test_tied_and_empty_and_truth_valued_weights(frozen):
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Linear(32, 32)
            self.b = nn.Linear(32, 32)
            self.b.weight = self.a.weight
            self.none = nn.Parameter(torch.randn(0, 32))
            self.register_buffer("mask", torch.rand(32) > 0.5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cat([self.b(self.a(x)).masked_fill(self.mask, 0.0), self.none])

    tied = Tied()
    close(frozen(tied), tied, torch.randn(40, 32))


@torch.no_grad()
def test_a_dynamic_batch(frozen):
    layers = model()
    run = frozen(layers, dynamic=True)
    for rows in (3, 40, 100):
        close(run, layers, torch.randn(rows, 64))


def test_threads(frozen):
    layers, x = model(), torch.randn(100, 64)
    with torch.no_grad():
        run, expected = frozen(layers), layers(x)
        run(x)
    results: list[torch.Tensor] = []

    def work() -> None:
        with torch.no_grad():
            results.extend(run(x) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 20
    for result in results:
        torch.testing.assert_close(result, expected, atol=1e-5, rtol=1e-5)


def test_weights_made_in_inference_mode_run_in_torch(compiled):
    with torch.inference_mode():
        layer, x = nn.Linear(64, 32), torch.randn(100, 64)
        run = compiled(layer, freeze=True, fallback="eager")
        with pytest.warns(FallbackWarning, match="inference mode"):
            torch.testing.assert_close(run(x), layer(x), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_from_the_cache(compiled, tmp_path):
    layers, x = model(), torch.randn(100, 64)
    options = {"freeze": True, "cache": True, "cache_dir": str(tmp_path)}
    close(compiled(layers, **options), layers, x)
    torch._dynamo.reset()
    myjit.reset()
    other = model()
    close(compiled(other, **options), other, x)
    assert myjit.stats()["cache_hits"] == 1
    torch._dynamo.reset()
    close(compiled(other, **{**options, "freeze": False}), other, x)  # the plain graph has a key of its own
