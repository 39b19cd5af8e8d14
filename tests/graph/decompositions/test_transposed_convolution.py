"""Gradients of transposed convolutions equal eager's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FORMS = [
    {"stride": 2},
    {"stride": 2, "padding": 1, "output_padding": 1},
    {"stride": (2, 1), "dilation": (1, 2), "groups": 2},
]


@pytest.mark.parametrize("form", FORMS)
def test_gradients(compiled, form):
    groups = form.get("groups", 1)
    sizes = ((2, 4, 5, 6), (4, 6 // groups, 3, 3), (6,))
    inputs = [torch.randn(s, requires_grad=True) for s in sizes]
    copies = [t.detach().clone().requires_grad_() for t in inputs]

    def function(x, w, b):
        return F.conv_transpose2d(x, w, b, **form)

    expected, actual = function(*inputs), compiled(function)(*copies)
    torch.testing.assert_close(actual, expected)
    grad = torch.randn_like(expected)
    expected.backward(grad)
    actual.backward(grad)
    for one, other in zip(copies, inputs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-4)
