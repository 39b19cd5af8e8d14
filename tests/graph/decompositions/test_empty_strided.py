"""Gradients of writes into tensors that lie in another order."""

from __future__ import annotations

import torch


def test_gradients_of_a_written_copy(compiled):
    def function(x):
        y = x.transpose(0, 2)
        z = y.clone()
        z[..., 1:] = y[..., 1:] * 2
        return z.square().sum()

    x, y = (torch.ones(4, 3, 2, requires_grad=True) for _ in range(2))
    function(x).backward()
    compiled(function)(y).backward()
    torch.testing.assert_close(y.grad, x.grad)
