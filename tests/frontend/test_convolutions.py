"""Which convolutions are left to torch."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import myjit
from myjit.frontend import convolutions
from myjit.frontend.convolutions import quick_gradients, slow_convolutions
from myjit.targets.base import ConvolutionGain

GAIN = ConvolutionGain(dense=1.0, grouped=10.0, each=0.0, border=0.0)


def graph(
    *,
    kernel: int = 3,
    groups: int = 1,
    outputs: int = 8,
    size: int = 8,
    dtype: torch.dtype = torch.float32,
    mode: str = "fake",
) -> torch.fx.GraphModule:
    x = torch.ones(1, 8, size, size, dtype=dtype)
    w = torch.ones(outputs, 8 // groups, kernel, kernel, dtype=dtype)
    return make_fx(lambda x, w: torch.conv2d(x, w, groups=groups), tracing_mode=mode)(x, w)


@pytest.mark.parametrize(
    ("kernel", "groups", "count"), [(3, 1, 1), (1, 1, 0), (1, 2, 1), (3, 2, 1), (3, 8, 0)]
)
def test_large_kernels_gain_and_groups_that_are_no_single_channels(kernel, groups, count):
    assert len(slow_convolutions(graph(kernel=kernel, groups=groups), GAIN)) == count


def test_all_together_have_to_gain_more_than_a_border_costs():
    operations = 2 * 8 * 8 * 9 * 6 * 6
    assert slow_convolutions(graph(), ConvolutionGain(1.0, 10.0, 0.0, operations - 1))
    assert not slow_convolutions(graph(), ConvolutionGain(1.0, 10.0, 0.0, operations + 1))
    assert slow_convolutions(graph(), ConvolutionGain(1.0, 10.0, operations - 1, 0.0))
    assert not slow_convolutions(graph(), ConvolutionGain(1.0, 10.0, operations + 1, 0.0))


def test_volumes_are_added_up_one_by_one():
    x, w = torch.ones(1, 8, 4, 4, 4), torch.ones(8, 8, 3, 3, 3)
    gm = make_fx(torch.conv3d, tracing_mode="fake")(x, w)
    operations = 2 * 8 * 8 * 27 * 2**3
    assert slow_convolutions(gm, ConvolutionGain(1.0, 10.0, 0.0, 10 * operations - 1))
    assert not slow_convolutions(gm, ConvolutionGain(1.0, 10.0, 0.0, 10 * operations + 1))


def test_few_channels_leave_a_vector_empty():
    operations = 2 * 8 * 2 * 9 * 6 * 6
    assert slow_convolutions(graph(outputs=2), ConvolutionGain(1.0, 10.0, 0.0, 4 * operations - 1))
    assert not slow_convolutions(graph(outputs=2), ConvolutionGain(1.0, 10.0, 0.0, 4 * operations + 1))


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 0),
        ({"groups": 2}, 0),
        ({"outputs": 2}, 1),
        ({"groups": 4}, 1),
        ({"size": 5}, 1),
        ({"mode": "symbolic"}, 1),
    ],
    ids=str,
)
def test_what_panels_add_up_is_compiled(options, count):
    gain = replace(GAIN, panels=True)
    assert len(slow_convolutions(graph(**options), gain)) == count
    assert len(slow_convolutions(graph(**options), GAIN)) == 1


@pytest.mark.parametrize(
    ("options", "count"), [({}, 0), ({"kernel": 5, "size": 12}, 0), ({"kernel": 11, "size": 18}, 1)], ids=str
)
def test_what_matrices_add_up_is_compiled(options, count, monkeypatch):
    monkeypatch.setattr(convolutions, "_multiplies_bfloat16", lambda: True)
    gm = graph(dtype=torch.bfloat16, **options)
    assert len(slow_convolutions(gm, replace(GAIN, panels=True, matrices=True))) == count
    assert len(slow_convolutions(gm, replace(GAIN, panels=True))) == 1


def test_patches_side_by_side_are_products():
    x, w = torch.randn(1, 4, 8, 8), torch.randn(4, 4, 2, 2)
    patches = make_fx(lambda x, w: torch.conv2d(x, w, stride=2), tracing_mode="fake")(x, w)
    assert not slow_convolutions(patches, GAIN)


@pytest.mark.parametrize(
    ("dtype", "hardware", "count"),
    [
        (torch.bfloat16, False, 0),
        (torch.bfloat16, True, 1),
        (torch.float16, False, 0),
        (torch.float16, True, 0),
    ],
)
def test_half_types_that_torch_emulates_are_compiled(dtype, hardware, count, monkeypatch):
    monkeypatch.setattr(convolutions, "_multiplies_bfloat16", lambda: hardware)
    assert len(slow_convolutions(graph(dtype=dtype), GAIN)) == count


def gradient(*, image=(1, 32, 14, 14), outputs=32, kernel=1, groups=1, dtype=torch.float32, **form):
    x = torch.ones(image, dtype=dtype, requires_grad=True)
    w = torch.ones(outputs, image[1] // groups, kernel, kernel, dtype=dtype, requires_grad=True)

    def backward(x, w):
        y = torch.conv2d(x, w, groups=groups, **form)
        return torch.autograd.grad(y.sum(), (x, w))

    return make_fx(backward, tracing_mode="fake")(x, w)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 1),
        ({"outputs": 7}, 1),
        ({"image": (8, 32, 14, 14)}, 1),
        ({"image": (8, 32, 200, 200)}, 0),
        ({"image": (1, 32, 200, 200)}, 1),
        ({"stride": 2}, 0),
        ({"padding": 1}, 0),
        ({"kernel": 3}, 0),
        ({"groups": 2}, 0),
        ({"dtype": torch.bfloat16}, 1),
        ({"dtype": torch.float16}, 1),
        ({"dtype": torch.bfloat16, "image": (1, 32, 7, 7)}, 0),
        ({"dtype": torch.bfloat16, "image": (2, 32, 7, 7)}, 1),
        ({"dtype": torch.float64}, 0),
        ({"dtype": torch.bfloat16, "image": (8, 32, 200, 200)}, 1),
        ({"dtype": torch.bfloat16, "kernel": 3}, 0),
        ({"kernel": 5, "groups": 32, "padding": 2}, 1),
        ({"kernel": 5, "groups": 32, "stride": 2}, 1),
        ({"kernel": 5, "groups": 32, "dilation": 2}, 0),
        ({"kernel": 5, "groups": 32, "image": (8, 32, 80, 80)}, 1),
        ({"kernel": 3, "groups": 32}, 1),
        ({"kernel": 3, "groups": 32, "stride": 2}, 0),
        ({"kernel": 3, "groups": 32, "image": (8, 32, 30, 30)}, 0),
        ({"kernel": 3, "groups": 32, "image": (8, 32, 30, 30), "dtype": torch.bfloat16}, 1),
        ({"kernel": 3, "groups": 32, "image": (8, 32, 80, 80), "dtype": torch.bfloat16}, 0),
        ({"kernel": 3, "groups": 32, "stride": 2, "dtype": torch.bfloat16}, 1),
        ({"kernel": 5, "groups": 32, "dtype": torch.float16}, 0),
        ({"kernel": 5, "groups": 32, "outputs": 64}, 0),
    ],
)
def test_gradients_that_are_products_or_of_single_channels(options, count):
    assert len(quick_gradients(gradient(**options), GAIN)) == count


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 1),
        ({"stride": 2}, 1),
        ({"kernel": 1, "stride": 2}, 1),
        ({"outputs": 3}, 0),
        ({"image": (1, 3, 14, 14)}, 0),
        ({"image": (1, 32, 5, 5)}, 0),
        ({"dilation": 2}, 1),
        ({"dilation": 3}, 0),
        ({"groups": 2}, 0),
        ({"dtype": torch.float32}, 0),
    ],
)
def test_gradients_that_matrices_add_up(options, count):
    gm = gradient(**{"kernel": 3, "dtype": torch.bfloat16, **options})
    assert len(quick_gradients(gm, replace(GAIN, panels=True, matrices=True))) == count


def test_they_are_compiled_by_default_and_the_others_are_not(compiled):
    model = torch.nn.Sequential(
        torch.nn.Conv2d(8, 16, 1),
        torch.nn.Conv2d(16, 16, 5, groups=16),
        torch.nn.Conv2d(16, 16, 3),
        torch.nn.ReLU(),
    )
    x = torch.randn(2, 8, 14, 14)
    model(x).square().mean().backward()
    expected = [parameter.grad for parameter in model.parameters()]
    model.zero_grad()
    myjit.reset()
    compiled(model, placement="auto")(x).square().mean().backward()
    torch.testing.assert_close([p.grad for p in model.parameters()], expected, rtol=1e-4, atol=1e-4)
    assert myjit.stats()["by_design_reasons"] == {"faster": 4}  # one of them, and its three results
