"""Convolutions of every form equal eager, as products or as loops."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

CHANNELS = {
    "dense": (8, 12, 1),
    "few": (3, 8, 1),
    "depthwise": (16, 16, 16),
    "multiplied": (8, 16, 8),
    "odd": (5, 7, 1),
}
FORMS = {
    "pixel": {"kernel": (1, 1)},
    "strided pixel": {"kernel": (1, 1), "stride": 2},
    "padded": {"kernel": (3, 3), "padding": 1},
    "strided": {"kernel": (3, 3), "stride": 2, "padding": 1},
    "dilated": {"kernel": (3, 3), "padding": 2, "dilation": 2},
    "patches": {"kernel": (2, 2), "stride": 2},
    "oblong": {"kernel": (1, 3), "stride": (2, 1), "padding": (0, 1)},
}


@pytest.mark.parametrize("channels", CHANNELS)
def test_forms(each_equals_eager, channels):
    inputs, outputs, groups = CHANNELS[channels]
    weights = {
        form: torch.randn(outputs, inputs // groups, *options["kernel"]) for form, options in FORMS.items()
    }

    def convolution(form):
        options = {name: value for name, value in FORMS[form].items() if name != "kernel"}
        return lambda x, w, b: F.conv2d(x, w[form], b, groups=groups, **options).relu()

    functions = {form: convolution(form) for form in FORMS}
    x, b = torch.randn(2, inputs, 9, 10), torch.randn(outputs)
    each_equals_eager(functions, x, weights, b, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("form", ["pixel", "strided"])
@pytest.mark.parametrize("channels", ["dense", "depthwise"])
def test_alone(compiled, channels, form):
    inputs, outputs, groups = CHANNELS[channels]
    options = {**FORMS[form], "groups": groups}
    weight = torch.randn(outputs, inputs // groups, *options.pop("kernel"))
    args = torch.randn(2, inputs, 9, 10), weight, torch.randn(outputs)

    def function(x, w, b):
        return F.conv2d(x, w, b, **options).relu()

    actual = compiled(function, dynamic=False)(*args)
    torch.testing.assert_close(actual, function(*args), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_pixels_of_integers(compiled, dtype):
    x, w = torch.randint(-5, 5, (2, 8, 9, 9), dtype=dtype), torch.randint(-5, 5, (16, 8, 1, 1), dtype=dtype)
    assert torch.equal(compiled(F.conv2d, dynamic=False, placement="compiled")(x, w), F.conv2d(x, w))


@pytest.mark.parametrize(
    ("images", "dynamic", "dtype"),
    [(1, False, torch.float32), (5, False, torch.bfloat16), (5, True, torch.float32)],
)
def test_pixels_of_large_images(compiled, images, dynamic, dtype):
    layer = torch.nn.Conv2d(64, 130, 1, dtype=dtype)
    x = torch.randn(images, 64, 23, 24, dtype=dtype, requires_grad=True)
    run = compiled(lambda x: layer(x).relu(), dynamic=dynamic, placement="compiled")
    tolerance = 1e-4 if dtype == torch.float32 else 3e-2
    result, expected = run(x), layer(x).relu()
    torch.testing.assert_close(result, expected, atol=tolerance, rtol=tolerance)
    wanted = [x, *layer.parameters()]
    weight = torch.randn_like(expected)
    for found, right in zip(
        torch.autograd.grad(result, wanted, weight),
        torch.autograd.grad(expected, wanted, weight),
        strict=True,
    ):
        assert (found - right).norm() <= tolerance * right.norm()
