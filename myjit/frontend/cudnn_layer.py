"""A layer of a recurrent network on an NVIDIA GPU: cuDNN's, as torch calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

_MODES = {"relu": 0, "tanh": 1, "lstm": 2, "gru": 3}  # cudnnRNNMode_t


def run(*given: Any) -> tuple[Tensor, ...]:
    """Compute the outputs of all steps (steps, batch, hidden), the last states, and what backward reads."""
    x, weights, hx, cx, kind, reverse, train = given
    x = _in_order(x, reverse)
    out, hy, cy, kept, _ = torch.ops.aten._cudnn_rnn.default(
        x,
        weights,
        len(weights),
        _packed(x, weights, hx, kind),
        _of_one_layer(hx),
        _of_one_layer(cx),
        *_form(hx, kind),
        train,
        False,
        [],
        None,
    )
    cy = hx.new_empty(0) if cx is None else cy.squeeze(0)
    return out.flip(0) if reverse else out, hy.squeeze(0), cy, kept.view(torch.int8)


def run_backward(*given: Any) -> list[Tensor]:
    """Compute the gradients of the input, of the weights and of the states."""
    grad, grad_hy, grad_cy, results, x, weights, hx, cx, kind, reverse = given
    out, _, _, kept = results
    x = _in_order(x, reverse)
    dx, dhx, dcx, dweights = torch.ops.aten._cudnn_rnn_backward.default(
        x,
        weights,
        len(weights),
        _packed(x, weights, hx, kind),
        _of_one_layer(hx),
        _of_one_layer(cx),
        _in_order(out, reverse),
        _in_order(grad, reverse),
        _of_one_layer(grad_hy),
        None if cx is None else _of_one_layer(grad_cy),
        *_form(hx, kind),
        True,
        False,
        [],
        None,
        kept.view(torch.uint8).clone(),  # cuDNN writes to it
        [True, True, cx is not None, True],
    )
    states = [dhx.squeeze(0), *([] if cx is None else [dcx.squeeze(0)])]
    return [_in_order(dx, reverse), *(w.clone() for w in dweights), *states]  # weights: places of one tensor


def _in_order(values: Tensor | None, reverse: bool) -> Any:  # noqa: FBT001
    return None if values is None else (values.flip(0) if reverse else values).contiguous()


def _of_one_layer(state: Tensor | None) -> Tensor | None:
    return None if state is None else state.unsqueeze(0).contiguous()


def _packed(x: Tensor, weights: Sequence[Tensor], hx: Tensor, kind: str) -> Tensor:
    """Return the weights in one piece. Packing makes places of it of the tensors that it is given."""
    views = [w.view(w.shape) for w in weights]
    mode, hidden, projected, layers, batch_first, _ = _form(hx, kind)
    sizes = (len(views), x.shape[-1], mode, hidden, projected, layers)
    return torch._cudnn_rnn_flatten_weight(views, *sizes, batch_first, False)


def _form(hx: Tensor, kind: str) -> tuple[Any, ...]:
    """Return the mode, numbers of features (hidden, projected) and layers, the batch's place, the dropout."""
    return _MODES[kind], hx.shape[-1], 0, 1, False, 0.0
