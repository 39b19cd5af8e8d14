"""Ops that torch's library runs faster stay there by default, and the results are eager's all the same."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import myjit


def network() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(4, 8, 3, padding=1, groups=4), nn.BatchNorm2d(8), nn.ReLU()),
        *(nn.Conv2d(8, 4, 1, groups=2), nn.SiLU()),
    )


def test_inference_keeps_grouped_convolutions_in_torch_and_says_so(compiled):
    model, x = network().eval(), torch.randn(2, 4, 16, 16)
    run = compiled(model, placement="auto")
    with torch.no_grad():
        torch.testing.assert_close(run(x), model(x))
    counted = myjit.stats()
    assert counted["by_design_reasons"] == {"faster": 2}
    assert counted["ops_fallback"] == 0
    assert counted["ops_compiled"] > 5


def test_everything_is_compiled_on_request(compiled):
    model, x = network().eval(), torch.randn(2, 4, 16, 16)
    run = compiled(model, placement="compiled")
    with torch.no_grad():
        torch.testing.assert_close(run(x), model(x), atol=1e-5, rtol=1e-5)
    assert myjit.stats()["by_design_reasons"] == {}


def test_training_equals_eager(compiled):
    models = [network(), network()]
    models[1].load_state_dict(models[0].state_dict())
    x = torch.randn(2, 4, 16, 16)
    runs = [models[0], compiled(models[1], placement="auto")]
    for run in runs:
        run(x).square().mean().backward()
    for (name, one), (_, other) in zip(
        models[0].named_parameters(), models[1].named_parameters(), strict=True
    ):
        assert one.grad is not None and other.grad is not None, name
        torch.testing.assert_close(other.grad, one.grad, atol=1e-5, rtol=1e-4)
    for one, other in zip(models[0].buffers(), models[1].buffers(), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(
    ("convolution", "size", "faster_in_torch"),
    [
        (nn.Conv2d(8, 16, 1), 16, False),
        (nn.Conv2d(8, 16, 3, padding=1), 16, False),
        (nn.Conv2d(64, 64, 3, padding=1), 32, True),
        (nn.Conv2d(8, 8, 3, groups=8), 16, True),
        (nn.ConvTranspose2d(8, 16, 3), 16, False),
    ],
)
@torch.no_grad()
def test_large_and_grouped_convolutions_run_in_torch(compiled, convolution, size, faster_in_torch):
    x = torch.randn(1, convolution.in_channels, size, size)
    run = compiled(lambda x: convolution(x).relu(), placement="auto")
    torch.testing.assert_close(run(x), convolution(x).relu(), atol=1e-5, rtol=1e-5)
    assert bool(myjit.stats()["by_design_reasons"]) == faster_in_torch
