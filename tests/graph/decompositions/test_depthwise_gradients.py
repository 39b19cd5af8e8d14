"""Gradients of convolutions of single channels, of several images, equal eager's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FORMS = [
    {"padding": 1},
    {},
    {"stride": 2, "padding": 1},
    {"stride": (2, 1), "dilation": (1, 2), "padding": (1, 2)},
]


@pytest.mark.parametrize("wanted", [(0, 1, 2), (1,), (0,), (1, 2)], ids=str)
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize(("images", "channels"), [(2, 8), (3, 5), (1, 6), (4, 1)])
def test_gradients(compiled, images, channels, form, wanted):
    values = [torch.randn(images, channels, 7, 6), torch.randn(channels, 1, 3, 3), torch.randn(channels)]

    def gradients(function):
        inputs = [v.clone().requires_grad_(i in wanted) for i, v in enumerate(values)]
        function(*inputs).square().sum().backward()
        return [each.grad for each in inputs]

    def function(x, weight, bias):
        return F.conv2d(x, weight, bias, groups=channels, **form)

    mine, theirs = gradients(compiled(function, dynamic=False)), gradients(function)
    torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-3)


def test_as_many_images_as_come(compiled):
    weight = torch.randn(4, 1, 3, 3, requires_grad=True)
    run = compiled(lambda x, w: F.conv2d(x, w, groups=4).square().mean(), dynamic=True)
    for images in (2, 3, 5):
        x, own = torch.randn(images, 4, 6, 6), weight.detach().clone().requires_grad_()
        weight.grad = None
        F.conv2d(x, weight, groups=4).square().mean().backward()
        run(x, own).backward()
        torch.testing.assert_close(own.grad, weight.grad, rtol=1e-4, atol=1e-4)


def test_bfloat16_is_about_as_near_as_eager(compiled):
    values = [torch.randn(3, 8, 9, 9).bfloat16(), torch.randn(8, 1, 5, 5).bfloat16()]

    def gradients(function, dtype):
        inputs = [value.to(dtype, copy=True).requires_grad_() for value in values]
        function(*inputs, stride=2, groups=8).square().sum().backward()
        return [each.grad.double() for each in inputs]

    exact, theirs = gradients(F.conv2d, torch.float64), gradients(F.conv2d, torch.bfloat16)
    for ours, eager, right in zip(gradients(compiled(F.conv2d), torch.bfloat16), theirs, exact, strict=True):
        assert (ours - right).norm() < 2 * (eager - right).norm()
