"""The layers that torch computes without a library have exact gradients."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from myjit.frontend.recurrent_layer import recurrent_layer


def layer_of(kind: str, *, bias: bool = True) -> nn.Module:
    if kind == "gru":
        return nn.GRU(5, 7, bias=bias, dtype=torch.float64)
    return nn.RNN(5, 7, nonlinearity=kind, bias=bias, dtype=torch.float64)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["gru", "tanh", "relu"])
def test_states_and_gradients_in_float64(kind, bias, reverse):
    model = layer_of(kind, bias=bias)
    x, hx = torch.randn(6, 3, 5, dtype=torch.float64), torch.randn(3, 7, dtype=torch.float64)
    inputs = [t.requires_grad_() for t in (x, hx, *model.parameters())]

    def of_torch():
        out, hy = model(x.flip(0) if reverse else x, hx[None])
        return (out.flip(0) if reverse else out), hy[0]

    found, wanted = recurrent_layer(kind, x, hx, inputs[2:], bias, reverse=reverse), of_torch()
    torch.testing.assert_close(found, wanted)
    gradients, expected = (
        torch.autograd.grad(out.sin().sum() + 2 * hy.cos().sum(), inputs) for out, hy in (found, wanted)
    )
    torch.testing.assert_close(gradients, expected, rtol=1e-12, atol=1e-12)
