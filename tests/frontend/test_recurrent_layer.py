"""A whole layer of a recurrent network computes what torch's does, forward and backward."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from myjit.frontend.recurrent_layer import recurrent_layer

KINDS = [
    *(("cpu", kind) for kind in ("lstm", "gru", "tanh", "relu")),
    *(pytest.param("cuda", kind, marks=pytest.mark.cuda) for kind in ("lstm", "gru", "tanh", "relu")),
]


def layer_of(kind: str, *, bias: bool = True) -> nn.Module:
    if kind in {"tanh", "relu"}:
        return nn.RNN(5, 7, nonlinearity=kind, bias=bias)
    return {"lstm": nn.LSTM, "gru": nn.GRU}[kind](5, 7, bias=bias)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("target", "kind"), KINDS, indirect=["target"])
def test_states_and_gradients(device, kind, bias, reverse):
    model = layer_of(kind, bias=bias).to(device)
    states = [torch.randn(3, 7, device=device) for _ in range(2 if kind == "lstm" else 1)]
    x = torch.randn(6, 3, 5, device=device)
    inputs = [t.requires_grad_() for t in (x, *states, *model.parameters())]

    def of_torch():
        hidden = [s[None] for s in states]
        out, last = model(x.flip(0) if reverse else x, tuple(hidden) if kind == "lstm" else hidden[0])
        return (out.flip(0) if reverse else out), *(s[0] for s in (last if kind == "lstm" else (last,)))

    def whole():
        hidden = tuple(states) if kind == "lstm" else states[0]
        out, last = recurrent_layer(kind, x, hidden, list(model.parameters()), bias, reverse=reverse)
        return out, *(last if kind == "lstm" else (last,))

    found, wanted = whole(), of_torch()
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
    losses = [out.sin().sum() + sum(s.square().sum() for s in last) for out, *last in (found, wanted)]
    gradients, expected = (torch.autograd.grad(loss, inputs) for loss in losses)
    torch.testing.assert_close(gradients, expected, rtol=1e-4, atol=1e-5)


def test_gradients_of_the_biases_are_two_tensors():
    model = nn.LSTM(5, 7)
    x, state = torch.randn(6, 3, 5), torch.zeros(3, 7)
    out, _ = recurrent_layer("lstm", x, (state, state), list(model.parameters()), has_biases=True)
    out.sum().backward()
    assert model.bias_ih_l0.grad.data_ptr() != model.bias_hh_l0.grad.data_ptr()


def test_without_gradients_nothing_is_kept_for_them():
    weights = [p.detach() for p in nn.LSTM(5, 7).parameters()]
    x, state = torch.randn(6, 3, 5), torch.zeros(3, 7)
    *_, kept = torch.ops.myjit.recurrent_layer(x, weights, state, state, "onednn", "lstm", False, False)
    assert kept.numel() == 0


@pytest.mark.parametrize(("library", "kind"), [("onednn", "lstm"), ("torch", "gru"), ("torch", "tanh")])
def test_as_torchs_tests_of_ops(library, kind):
    weights = [p.detach().requires_grad_() for p in layer_of(kind).parameters()]
    x, state = torch.randn(6, 3, 5, requires_grad=True), torch.zeros(3, 7)
    arguments = (x, weights, state, state if kind == "lstm" else None, library, kind, False, True)
    tests = ("test_schema", "test_autograd_registration")
    if library == "torch":  # of what a library keeps the size is not known before
        tests += ("test_faketensor", "test_aot_dispatch_dynamic")
    torch.library.opcheck(torch.ops.myjit.recurrent_layer.default, arguments, test_utils=tests)
