"""Ops that torch's library runs faster stay there by default, and the results are eager's all the same."""

from __future__ import annotations

import torch
from torch import nn

import myjit


def network() -> nn.Module:
    """A convolution that torch's library runs faster by more than a border costs, and two it does not."""
    return nn.Sequential(
        *(nn.Conv2d(4, 64, 5, padding=2, groups=4), nn.BatchNorm2d(64), nn.ReLU()),
        *(nn.Conv2d(64, 64, 5, padding=2, groups=64), nn.SiLU(), nn.Conv2d(64, 2, 1)),
    )


def test_inference_keeps_costly_convolutions_in_torch_and_says_so(compiled):
    model, x = network().eval(), torch.randn(2, 4, 64, 64)
    run = compiled(model, placement="auto")
    with torch.no_grad():
        torch.testing.assert_close(run(x), model(x))
    counted = myjit.stats()
    assert counted["by_design_reasons"] == {"faster": 1}
    assert counted["ops_fallback"] == 0
    assert counted["ops_compiled"] > 5


def test_everything_is_compiled_on_request(compiled):
    model, x = network().eval(), torch.randn(2, 4, 64, 64)
    run = compiled(model, placement="compiled")
    with torch.no_grad():
        torch.testing.assert_close(run(x), model(x), atol=1e-5, rtol=1e-5)
    assert myjit.stats()["by_design_reasons"] == {}


def test_training_equals_eager(compiled):
    models = [network(), network()]
    models[1].load_state_dict(models[0].state_dict())
    x = torch.randn(2, 4, 64, 64)
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


@torch.no_grad()
def test_small_convolutions_are_compiled(compiled):
    layers = (nn.Conv2d(3, 16, 3), nn.Conv2d(16, 16, 3, groups=16), nn.ConvTranspose2d(16, 8, 2))
    model, x = nn.Sequential(*layers), torch.randn(1, 3, 16, 16)
    torch.testing.assert_close(compiled(model, placement="auto")(x), model(x), atol=1e-5, rtol=1e-5)
    assert myjit.stats()["by_design_reasons"] == {}


def test_gradients_of_convolutions_stay_with_torch_as_they_are(compiled):
    layers = (nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3, groups=4), nn.ConvTranspose2d(16, 8, 2))
    run = compiled(nn.Sequential(*layers), placement="auto")
    run(torch.randn(1, 3, 16, 16)).square().mean().backward()
    assert myjit.stats()["by_design_reasons"]["faster"] == 3 + 8  # each of them, and what each gives
