"""A layer of a GRU or of a simple RNN on any device: torch's, with a backward of its own.

Backward computes the gates of all steps anew, from the states that forward gave, in two products, and the
gradients of the weights in two others: from step to step there are one small product and few pointwise ops.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

_LAYERS = {"gru": torch.gru, "tanh": torch.rnn_tanh, "relu": torch.rnn_relu}


def run(*given: Any) -> tuple[Tensor, ...]:
    """Compute the states of all steps (steps, batch, hidden), and the last; nothing more is kept."""
    x, weights, hx, _, kind, reverse, _ = given
    out, hy = _LAYERS[kind](
        x.flip(0) if reverse else x, hx.unsqueeze(0), weights, len(weights) == 4, 1, 0.0, False, False, False
    )
    none = x.new_empty(0)
    return out.flip(0) if reverse else out, hy.squeeze(0), none, none.to(torch.int8)


def run_backward(*given: Any) -> list[Tensor]:
    """Compute the gradients of the input, of the weights and of the states."""
    grad, grad_hy, _, results, x, weights, hx, _, kind, reverse = given
    out = results[0]
    grad = torch.zeros_like(out) if grad is None else grad
    if reverse:
        x, out, grad = x.flip(0), out.flip(0), grad.flip(0)
    input_weight, hidden_weight, *biases = weights
    input_bias, hidden_bias = biases or (None, None)
    before = torch.cat([hx.unsqueeze(0), out[:-1]])
    if kind == "gru":
        by_input, by_hidden = linear(x, input_weight, input_bias), linear(before, hidden_weight, hidden_bias)
        slopes, kept, through_new = _slopes_of_gru(by_input, by_hidden, before)
    else:
        slopes = (1 - out * out if kind == "tanh" else (out > 0).to(out.dtype)).unsqueeze(2)
    states, gates = torch.empty_like(out), torch.empty_like(slopes)  # their gradients
    flat = gates.flatten(2)
    carried = torch.zeros_like(hx) if grad_hy is None else grad_hy
    for step in reversed(range(len(out))):
        state = torch.add(grad[step], carried, out=states[step])
        torch.mul(state.unsqueeze(1), slopes[step], out=gates[step])
        if kind == "gru":
            carried = torch.addmm(state * kept[step], flat[step], hidden_weight)
        else:
            carried = flat[step] @ hidden_weight
    inner = torch.cat([flat[..., : -hx.shape[-1]], states * through_new], -1) if kind == "gru" else flat
    dx = inner @ input_weight
    dweights = [_weight_gradient(inner, x), _weight_gradient(flat, before)]
    dbiases = [inner.sum((0, 1)), flat.sum((0, 1))] if biases else []
    return [dx.flip(0) if reverse else dx, *dweights, *dbiases, carried]


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
