"""The gradient of a threshold has the common type of its operands."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("types", [(torch.int64, torch.float32), (torch.float32, torch.float32)])
def test_type(compiled, types):
    grad, x = torch.arange(4).to(types[0]), torch.tensor([-1.0, 0.5, 2.0, 3.0]).to(types[1])
    function = torch.ops.aten.threshold_backward
    actual = compiled(lambda grad, x: function(grad, x, 1))(grad, x)
    torch.testing.assert_close(actual, function(grad, x, 1))


def test_nan_passes_the_gradient(compiled):
    x = torch.tensor([torch.nan, -1.0, 1.0], requires_grad=True)
    (mine,) = torch.autograd.grad(compiled(torch.relu)(x).sum(), x)
    (theirs,) = torch.autograd.grad(torch.relu(x).sum(), x)
    torch.testing.assert_close(mine, theirs, equal_nan=True)
