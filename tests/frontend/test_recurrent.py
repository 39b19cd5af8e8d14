"""Recurrent layers compute what eager's do, whatever torch's decompositions make of them."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch._decomp import decompositions

from myjit.explanation import explain
from myjit.frontend.recurrent_layer import library_of


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


@pytest.mark.parametrize("placement", ["auto", "compiled"])
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_dropout_between_layers(compiled, kind, batch_first, placement):
    model = kind(4, 3, 2, dropout=0.5, bidirectional=True, batch_first=batch_first)
    x = torch.randn(2, 2, 4)

    def step(call, seed):
        torch.manual_seed(seed)
        result = call(x)[0]
        model.zero_grad()
        result.square().sum().backward()
        return [result.detach(), *(p.grad.clone() for p in model.parameters())]

    call = compiled(model, placement=placement)
    first = step(call, 3)
    torch.testing.assert_close(first, step(model, 3), rtol=1e-4, atol=1e-5)
    assert not torch.equal(first[0], step(call, 4)[0])


AUTO = {"placement": "auto"}
OP = "myjit.recurrent_layer.default"
LAYERS = {
    "lstm": nn.LSTM(4, 3, bidirectional=True),
    "gru": nn.GRU(4, 3, bidirectional=True),
    "tanh": nn.RNN(4, 3, bidirectional=True),
    "relu": nn.RNN(4, 3, bidirectional=True, nonlinearity="relu"),
}


@pytest.mark.parametrize("kind", LAYERS)
def test_long_sequences_run_in_torch(compiled, kind):
    model = LAYERS[kind]
    x = torch.randn(100, 2, 4)
    with torch.no_grad():
        torch.testing.assert_close(compiled(model, placement="auto")(x), model(x), rtol=1e-5, atol=1e-5)
        assert f"{OP} ×2: torch's own library is faster" in str(explain(model, x, options=AUTO))
        assert OP not in str(explain(model, x[:2], options=AUTO))


@pytest.mark.parametrize("target", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)], indirect=True)
@pytest.mark.parametrize("kind", LAYERS)
def test_layers_train_in_torch(compiled, kind, device):
    model = copy.deepcopy(LAYERS[kind]).to(device)
    x = torch.randn(
        2 if library_of(kind, torch.device(device)) != "torch" else 20,
        2,
        4,
        requires_grad=True,
        device=device,
    )
    assert f"{OP} ×2: torch's own library is faster" in str(explain(model, x, options=AUTO))
    inputs = [x, *model.parameters()]
    found, wanted = (
        torch.autograd.grad(call(x.sin())[0].cos().sum(), inputs)
        for call in (compiled(model, placement="auto"), model)
    )
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["gru", "tanh"])
def test_short_sequences_that_torch_has_no_kernel_for_are_compiled(kind):
    assert OP not in str(explain(LAYERS[kind], torch.randn(2, 2, 4, requires_grad=True), options=AUTO))


@pytest.mark.parametrize("target", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)], indirect=True)
@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("kind", LAYERS)
def test_autocast_gives_the_types_of_eager(compiled, kind, trains, device):
    model = copy.deepcopy(LAYERS[kind]).to(device)
    x = torch.randn(3, 2, 4, requires_grad=trains, device=device)

    def function(x):
        with torch.autocast(device, torch.bfloat16):
            return model(x)[0]

    call = compiled(function, placement="auto")
    with torch.set_grad_enabled(trains):
        found, wanted = call(x), function(x)
    torch.testing.assert_close(found, wanted, rtol=2e-2, atol=2e-2)
    if trains:
        inputs = [x, *model.parameters()]
        gradients = [torch.autograd.grad(out.float().sum(), inputs) for out in (found, wanted)]
        torch.testing.assert_close(*gradients, rtol=5e-2, atol=5e-2)


def test_projected_lstms_are_traced_step_by_step(compiled):
    model, x = nn.LSTM(4, 3, proj_size=2), torch.randn(2, 2, 4, requires_grad=True)
    found, wanted = (
        torch.autograd.grad(call(x)[0].cos().sum(), [x, *model.parameters()])
        for call in (compiled(model, placement="auto"), model)
    )
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
