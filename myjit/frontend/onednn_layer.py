"""A layer of an LSTM on a CPU: oneDNN's, as torch calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

_MODE = 2  # LSTM, in third_party/ideep/include/ideep/abstract_types.hpp


def run(*given: Any) -> tuple[Tensor, ...]:
    """Compute the outputs of all steps (steps, batch, hidden), the last states, and what backward reads."""
    x, weights, hx, cx, _, reverse, train = given
    with torch.set_grad_enabled(train):
        *results, kept = torch.ops.aten.mkldnn_rnn_layer.default(
            *_inputs(x, weights, hx, cx), reverse, [], *_form(hx, weights), False, False, train
        )
    return *results, kept.view(torch.int8) if train else x.new_empty(0, dtype=torch.int8)


def run_backward(*given: Any) -> list[Tensor]:
    """Compute the gradients of the input, of the weights and of the states."""
    *grads, results, x, weights, hx, cx, _, reverse = given
    *outputs, kept = results
    dx, dw, dr, db, _, dhx, dcx = torch.ops.aten.mkldnn_rnn_layer_backward.default(
        *_inputs(x, weights, hx, cx),
        *outputs,
        *(None if g is None else g.contiguous() for g in grads),
        reverse,
        *_form(hx, weights),
        True,
        False,
        [],
        False,
        kept.view(torch.uint8),
    )
    biases = [db, db.clone()] if len(weights) == 4 else []
    # Of bfloat16 some come in float32.
    found = zip([dx, dw, dr, *biases, dhx, dcx], [x, *weights, hx, cx], strict=True)
    return [gradient.to(tensor.dtype) for gradient, tensor in found]


def _inputs(x: Tensor, weights: Sequence[Tensor], hx: Tensor, cx: Tensor) -> list[Tensor]:
    """Return the seven inputs; biases that are missing are zero."""
    biases = weights[2:] or [x.new_zeros(weights[0].shape[0])] * 2
    return [t.detach().contiguous() for t in (x, *weights[:2], *biases, hx, cx)]


def _form(hx: Tensor, weights: Sequence[Tensor]) -> tuple[Any, ...]:
    """Return the mode, the number of hidden features, that of layers, and whether there are biases."""
    return _MODE, hx.shape[-1], 1, len(weights) == 4
