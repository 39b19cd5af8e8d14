"""Padded tensors that are written in steps come to lie where eager puts them."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F


def written(x):
    out = x.new_zeros(x.shape[0], 3, 4 * x.shape[-1])
    out[..., ::2] = F.pad(x, (x.shape[-1] - 1, 1))
    return out


def apart(x):
    out = x.new_zeros(x.shape[0], 3, 4 * x.shape[-1] + 4)
    out[..., :4] = x[..., :4]
    out[..., 4::2] = F.pad(x, (x.shape[-1] - 1, 1))
    return out


def twice(x):
    padded = x.new_zeros(x.shape[0], 3, x.shape[-1] + 4)
    padded[..., 3:-1] = x
    return F.conv_transpose1d(padded, torch.ones(3, 2, 3), stride=3)


FORMS = {
    "one dimension": lambda x: F.conv_transpose1d(F.pad(x, (1, 2)), torch.ones(3, 2, 3), stride=2),
    "two": lambda x: F.conv_transpose2d(
        F.pad(x[None], (1, 2, 0, 1)), torch.ones(x.shape[0], 2, 3, 3), stride=(2, 3), padding=1
    ),
    "groups": lambda x: F.conv_transpose1d(F.pad(x, (2, 0)), torch.ones(3, 1, 3), stride=2, groups=3),
    "padding by another number": lambda x: F.conv_transpose1d(
        F.pad(x, (1, 2), value=3.0), torch.ones(3, 2, 3), stride=2
    ),
    "of a convolution": lambda x: F.conv_transpose1d(
        F.pad(F.conv1d(x, torch.ones(3, 3, 2)), (1, 0)), torch.ones(3, 2, 2), stride=2
    ),
    "written": written,
    "apart": apart,
    "twice": twice,
}


@pytest.mark.parametrize("dynamic", [False, True])
def test_values(dynamic, each_equals_eager):
    x = torch.randint(1, 9, (2, 3, 5)).float()
    each_equals_eager(FORMS, x, options={"dynamic": dynamic})


def test_gradients(compiled):
    x = torch.randn(2, 3, 5, requires_grad=True)
    form = FORMS["one dimension"]
    weight = torch.randn_like(form(x))
    (found,) = torch.autograd.grad((compiled(form, dynamic=False)(x) * weight).sum(), x)
    (expected,) = torch.autograd.grad((form(x) * weight).sum(), x)
    torch.testing.assert_close(found, expected)
