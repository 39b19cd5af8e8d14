"""Windows of which there is one along a dimension, and which leave some of it unread."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

WEIGHT = torch.linspace(-1, 1, 4 * 3 * 9).reshape(4, 3, 3, 3)
FORMS = {
    "convolution": lambda x: F.conv2d(x, WEIGHT[:, :, :2, :2], stride=2),
    "of one element": lambda x: F.conv2d(x, WEIGHT[:, :, :1, :1], stride=3),
    "by channel": lambda x: F.conv2d(x, WEIGHT[:3, :1, :2, :2], stride=2, groups=3),
    "apart": lambda x: F.conv2d(x, WEIGHT[:, :, :2, :1], stride=2, dilation=(1, 2)),
    "padded": lambda x: F.conv2d(x[:, :, :2, :2], WEIGHT, stride=2, padding=1),
    "of lines": lambda x: F.conv1d(x[:, :, 0], WEIGHT[:, :, 0, :2], stride=2),
    "of volumes": lambda x: F.conv3d(x[:, :, :, None], WEIGHT[:, :, :2, None, :2], stride=2),
    "average": lambda x: F.avg_pool2d(x, 2),
    "greatest": lambda x: F.max_pool2d(x, 2),
    "unfolded": lambda x: x.unfold(3, 2, 2).sum(-1),
}


@pytest.mark.parametrize("shape", [(2, 3, 3, 3), (1, 3, 3, 3), (2, 3, 5, 3)], ids=str)
def test_one_window(each_equals_eager, shape):
    each_equals_eager(FORMS, torch.randn(shape), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_alone(compiled, form):
    x = torch.randn(2, 3, 3, 3)
    torch.testing.assert_close(compiled(FORMS[form])(x), FORMS[form](x), rtol=1e-4, atol=1e-5)


def test_changing_numbers_of_images(compiled):
    run = compiled(FORMS["convolution"], dynamic=True)
    for images in (2, 5):
        x = torch.randn(images, 3, 3, 3)
        torch._dynamo.mark_static(x, 2)
        torch._dynamo.mark_static(x, 3)
        torch.testing.assert_close(run(x), FORMS["convolution"](x), rtol=1e-4, atol=1e-5)
