"""LSTMs' last states have eager's shapes, whatever torch's decomposition makes of them."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch._decomp import decompositions


@pytest.mark.parametrize("projected", [0, 5])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_states_of_a_batch(compiled, monkeypatch, bidirectional, projected):
    one_layer = decompositions.one_layer_lstm

    def as_in_torch_2_11(*args, **options):
        out, (hx, cx) = one_layer(*args, **options)
        return out, (hx.unsqueeze(0).squeeze(1), cx.unsqueeze(0).squeeze(1))

    monkeypatch.setattr(decompositions, "one_layer_lstm", as_in_torch_2_11)
    model = nn.LSTM(8, 16, 2, bidirectional=bidirectional, proj_size=projected).eval()
    x = torch.randn(3, 2, 8)
    with torch.no_grad():
        (out, states), (want, wanted) = compiled(model)(x), model(x)
    torch.testing.assert_close((out, *states), (want, *wanted), rtol=1e-5, atol=1e-5)
    assert decompositions.one_layer_lstm is as_in_torch_2_11
