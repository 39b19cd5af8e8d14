"""A layer of a GRU or of a simple RNN as one op, `myjit::recurrent_layer`, which torch runs.

Its backward computes the gates of all steps anew, from the states that forward gave, in two products, and the
gradients of its weights in two others: from step to step there are one small product and few pointwise ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

_LIBRARY = torch.library.Library("myjit", "FRAGMENT")
_INPUTS = (
    "Tensor input, Tensor input_weight, Tensor hidden_weight, Tensor? input_bias, Tensor? hidden_bias,"
    " Tensor hx, str kind, bool reverse"
)
_LIBRARY.define(f"recurrent_layer({_INPUTS}) -> Tensor")
_LIBRARY.define(f"recurrent_layer_backward(Tensor grad, Tensor output, {_INPUTS}) -> Tensor[]")

_LAYERS = {"gru": torch.gru, "tanh": torch.rnn_tanh, "relu": torch.rnn_relu}


def _run(*given: Any) -> Tensor:
    """Compute the states of all steps: (steps, batch, hidden)."""
    x, *params, hx, kind, reverse = given
    params = [p for p in params if p is not None]
    x = x.flip(0) if reverse else x
    out = _LAYERS[kind](x, hx.unsqueeze(0), params, len(params) == 4, 1, 0.0, False, False, False)[0]
    return out.flip(0) if reverse else out


def _fake(*given: Any) -> Tensor:
    x, hx = given[0], given[5]
    return x.new_empty(*x.shape[:-1], hx.shape[-1])


def _run_backward(grad: Tensor, out: Tensor, *given: Any) -> list[Tensor]:
    x, input_weight, hidden_weight, input_bias, hidden_bias, hx, kind, reverse = given
    if reverse:
        x, out, grad = x.flip(0), out.flip(0), grad.flip(0)
    before = torch.cat([hx.unsqueeze(0), out[:-1]])
    if kind == "gru":
        by_input, by_hidden = linear(x, input_weight, input_bias), linear(before, hidden_weight, hidden_bias)
        slopes, kept, through_new = _slopes_of_gru(by_input, by_hidden, before)
    else:
        slopes = (1 - out * out if kind == "tanh" else (out > 0).to(out.dtype)).unsqueeze(2)
    states, gates = torch.empty_like(out), torch.empty_like(slopes)  # their gradients
    flat = gates.flatten(2)
    carried = torch.zeros_like(hx)
    for step in reversed(range(len(out))):
        state = torch.add(grad[step], carried, out=states[step])
        torch.mul(state.unsqueeze(1), slopes[step], out=gates[step])
        if kind == "gru":
            carried = torch.addmm(state * kept[step], flat[step], hidden_weight)
        else:
            carried = flat[step] @ hidden_weight
    inner = torch.cat([flat[..., : -hx.shape[-1]], states * through_new], -1) if kind == "gru" else flat
    dx = inner @ input_weight
    weights = [_weight_gradient(inner, x), _weight_gradient(flat, before)]
    biases = [inner.sum((0, 1)), flat.sum((0, 1))] if input_bias is not None else []
    return [dx.flip(0) if reverse else dx, *weights, *biases, carried]


def _weight_gradient(grad: Tensor, factor: Tensor) -> Tensor:
    return grad.flatten(0, 1).t() @ factor.flatten(0, 1)


def _slopes_of_gru(by_input: Tensor, by_hidden: Tensor, before: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return how states change with each gate's product with the state before, (steps, batch, gates, hidden);
    how much of that state they keep; how they change with the last gate's product with the input.
    """
    reset_in, update_in, new_in = by_input.chunk(3, -1)
    reset_by, update_by, new_by = by_hidden.chunk(3, -1)
    reset, update = (reset_in + reset_by).sigmoid(), (update_in + update_by).sigmoid()
    new = (new_in + reset * new_by).tanh()
    through_new = (1 - update) * (1 - new * new)
    by_reset, by_update = through_new * new_by * reset * (1 - reset), (before - new) * update * (1 - update)
    return torch.stack([by_reset, by_update, through_new * reset], 2), update, through_new


def _fake_backward(grad: Tensor, out: Tensor, *given: Any) -> list[Tensor]:
    del grad, out
    return [t.new_empty(t.shape) for t in given[:6] if t is not None]


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    *tensors, ctx.kind, ctx.reverse = inputs
    ctx.biased = tensors[3] is not None
    ctx.save_for_backward(*(t for t in tensors if t is not None), output)


def _gradients(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    *tensors, output = ctx.saved_tensors
    biases = tensors[3:-1] if ctx.biased else (None, None)
    given = (*tensors[:3], *biases, tensors[-1], ctx.kind, ctx.reverse)
    found = RECURRENT_LAYER_BACKWARD(grad, output, *given)
    return (*found[:3], *(found[3:5] if ctx.biased else (None, None)), found[-1], None, None)


_LIBRARY.impl("recurrent_layer", _run, "CompositeExplicitAutograd")
_LIBRARY.impl("recurrent_layer_backward", _run_backward, "CompositeExplicitAutograd")
torch.library.register_fake("myjit::recurrent_layer", _fake, lib=_LIBRARY)
torch.library.register_fake("myjit::recurrent_layer_backward", _fake_backward, lib=_LIBRARY)
torch.library.register_autograd("myjit::recurrent_layer", _gradients, setup_context=_save, lib=_LIBRARY)

RECURRENT_LAYER = torch.ops.myjit.recurrent_layer.default
RECURRENT_LAYER_BACKWARD = torch.ops.myjit.recurrent_layer_backward.default


def recurrent_layer(
    kind: str,
    x: Tensor,
    hidden: Tensor,
    params: Sequence[Tensor],
    has_biases: bool,  # noqa: FBT001 (after the kind, as torch's function for a layer)
    *,
    reverse: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the states, and the last, of a layer for x of shape (steps, batch, features), one way.

    `kind` is "gru", "tanh" or "relu".
    """
    biases = params[2:4] if has_biases else (None, None)
    out = RECURRENT_LAYER(x, params[0], params[1], *biases, hidden, kind, reverse)
    return out, out[0 if reverse else -1]
