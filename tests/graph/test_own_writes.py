"""Writes into elements and parts, as Python spells them: each is one write."""

from __future__ import annotations

import pytest
import torch

aten = torch.ops.aten


def _elements(x):
    y = x * 2
    y[0] *= 3
    y[-1] += 1
    y[1, 2] -= 4
    y[:, -1] *= 2
    return y


def _parts(x):
    y = x + 1
    y[1:] += 2
    y[:, ::2] *= 3
    y[0, 1:3] -= 5
    y.diagonal().add_(1)
    return y


def _others(x):
    """Writes that do change something, though they look alike."""
    y = x.clone()
    y[0] = y[1]
    y[1:] = y[:-1].clone()
    y[:, 0] = y[:, -1]
    y[2] = y[0] + 0
    return y


def _of_another_tensor(x):
    y, z = x * 2, x * 3
    y[0] = z[0]
    z[1:] = y[1:]
    return y, z


FUNCTIONS = {
    "elements": _elements,
    "parts": _parts,
    "others": _others,
    "of another tensor": _of_another_tensor,
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_equal_to_eager(each_equals_eager, dtype, dynamic):
    x = torch.arange(20).view(4, 5).to(dtype)
    each_equals_eager(FUNCTIONS, x, options={"dynamic": dynamic})


def test_gradients(compiled):
    x = torch.arange(20.0).view(4, 5)
    one, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    compiled(_elements)(one).square().sum().backward()
    _elements(other).square().sum().backward()
    torch.testing.assert_close(one.grad, other.grad)
