"""Recurrent layers traced as what eager computes, where torch's decompositions trace something else.

With oneDNN on, LSTMs trace as its fused op, which has no lowering. torch before 2.13 traces the last states
of an LSTM's layer with a dimension too many (`hx.squeeze(1)` in torch/_decomp/decompositions.py, torch 2.11),
and no version up to it drops anything out between layers (`num_layers < i - 1` in `_rnn_helper`).

Layers are traced step by step. Those that torch is better left with are one op each where that is allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decompositions
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from myjit.frontend.nodes import is_listed
from myjit.frontend.recurrent_layer import RECURRENT_LAYER, is_trained, library_of, recurrent_layer

#: Steps, of all layers together, that are traced where layers may be one op each, without gradients and with
#: them: a step takes a quarter of a second to compile, or a second (benchmarks/NOTES.md, "Recurrent layers").
_MOST_STEPS, _MOST_TRAINED = 80, 30


@contextmanager
def recurrent_as_in_eager(whole: Collection[str] = ()) -> Iterator[None]:
    """Trace recurrent layers as eager computes them in this block.

    Where `whole` names the ops of whole layers, those are kept that torch is better left with.
    """
    enabled = torch._C._get_mkldnn_enabled()
    one_layer, all_layers = decompositions.one_layer_lstm, decompositions._rnn_helper
    rnn_cell = decompositions.rnn_cell

    def named(nonlinearity: Any) -> Any:
        cell = rnn_cell(nonlinearity)
        cell.kind = nonlinearity.__name__
        return cell

    def shaped(x: Any, hidden: Any, *rest: Any, **options: Any) -> Any:
        out, states = one_layer(x, hidden, *rest, **options)
        return out, tuple(new.reshape(old.shape) for new, old in zip(states, hidden, strict=True))

    def layer_by_layer(  # noqa: PLR0917 (the signature of torch's)
        x: Tensor,
        hidden: Sequence[Any],
        params: Sequence[Any],
        has_biases: bool,  # noqa: FBT001
        num_layers: int,
        dropout: float,
        train: bool,  # noqa: FBT001
        bidirectional: bool,  # noqa: FBT001
        batch_first: bool,  # noqa: FBT001
        layer_fn: Any,
    ) -> tuple[Tensor, list[Any]]:
        directions = 2 if bidirectional else 1
        x = x.transpose(0, 1) if batch_first else x
        finals: list[Any] = []
        kind = _kind(layer_fn, shaped)
        library = library_of(kind, x.device) if kind else ""
        if library and _is_taken(x, hidden, params):
            if library != "torch":
                x, hidden, params = _as_under_autocast(x, hidden, params)
            steps = x.shape[0] * len(hidden)
            if is_listed(str(RECURRENT_LAYER), whole) and steps > _most_steps(library, x, hidden, params):
                layer_fn = partial(recurrent_layer, kind)
        for layer in range(num_layers):
            own = slice(layer * directions, (layer + 1) * directions)
            one = (has_biases, 1, 0.0, train, bidirectional, False, layer_fn)
            x, states = all_layers(x, hidden[own], params[own], *one)
            finals += states
            if train and dropout and layer < num_layers - 1:
                x = torch.dropout(x, dropout, train=True)
        return (x.transpose(0, 1) if batch_first else x), finals

    torch._C._set_mkldnn_enabled(False)
    decompositions.one_layer_lstm, decompositions._rnn_helper = shaped, layer_by_layer
    decompositions.rnn_cell = named
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(enabled)
        decompositions.one_layer_lstm, decompositions._rnn_helper = one_layer, all_layers
        decompositions.rnn_cell = rnn_cell


def _kind(layer: Any, lstm: Any) -> str:
    """Tell what one of torch's functions computes: empty for sequences of several lengths."""
    cell = layer.keywords.get("hidden_fn") if isinstance(layer, partial) else None
    names = {lstm: "lstm", decompositions.gru_cell: "gru"}
    return names.get(layer) or names.get(cell) or getattr(cell, "kind", "")


def _is_taken(*inputs: Any) -> bool:
    """Tell whether ops of whole layers take them; not projections, where states are of two sizes."""
    tensors: list[Tensor] = tree_leaves(inputs)
    pairs = (state for state in inputs[1] if isinstance(state, tuple))
    return all(t.dtype == torch.float32 and t.numel() > 0 for t in tensors) and all(
        hx.shape == cx.shape for hx, cx in pairs
    )


def _as_under_autocast(*inputs: Any) -> Any:
    """Return tensors in the type that autocast gives a library's layer, within its blocks."""
    leaves, form = tree_flatten(inputs)
    device = leaves[0].device.type
    if not torch.is_autocast_enabled(device):
        return inputs
    # cuDNN's are given float16, whatever type the block asks for: aten/src/ATen/cudnn/AutocastRNN.cpp.
    dtype = torch.float16 if device == "cuda" else torch.get_autocast_dtype(device)
    return tree_unflatten([t.to(dtype) for t in leaves], form)


def _most_steps(library: str, x: Tensor, *others: Any) -> int:
    """Return how many steps are traced: none of a library's layer that trains, or has autocast's type."""
    trains = is_trained(x, others)
    if library != "torch" and (trains or torch.is_autocast_enabled(x.device.type)):
        return 0
    return _MOST_TRAINED if trains else _MOST_STEPS
