"""A layer of a recurrent network as one op, `myjit::recurrent_layer`, which torch runs.

torch's own ops for it do not train within compiled graphs: what their backward reads, oneDNN gives only where
gradients are on, and of cuDNN's it is nothing in a fake tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from myjit.frontend import cudnn_layer, onednn_layer, torch_layer

#: By the name of the library that computes the layer.
_KERNELS = MappingProxyType({"onednn": onednn_layer, "cudnn": cudnn_layer, "torch": torch_layer})

_LIBRARY = torch.library.Library("myjit", "FRAGMENT")
_INPUTS = "Tensor input, Tensor[] weights, Tensor hx, Tensor? cx, str library, str kind, bool reverse"
_LIBRARY.define(f"recurrent_layer({_INPUTS}, bool train) -> (Tensor, Tensor, Tensor, Tensor)")
_LIBRARY.define(
    "recurrent_layer_backward(Tensor? grad, Tensor? grad_hy, Tensor? grad_cy, Tensor[] results,"
    f" {_INPUTS}) -> Tensor[]"
)


def _run(x: Tensor, weights: Any, hx: Tensor, cx: Tensor | None, library: str, *form: Any) -> Any:
    return _KERNELS[library].run(x, weights, hx, cx, *form)


def _run_backward(*given: Any) -> list[Tensor]:
    *tensors, library, kind, reverse = given
    return _KERNELS[library].run_backward(*tensors, kind, reverse)


def _fake(*given: Any) -> tuple[Tensor, ...]:
    x, _, hx, cx, *_ = given
    out = x.new_empty(*x.shape[:-1], hx.shape[-1])
    cy = hx.new_empty(0 if cx is None else cx.shape)
    kept = x.new_empty(0, dtype=torch.int8)  # in truth of a size that is not known before
    return out, hx.new_empty(hx.shape), cy, kept


def _fake_backward(*given: Any) -> list[Tensor]:
    x, weights, hx, cx = given[4:8]
    return [t.new_empty(t.shape) for t in (x, *weights, hx, cx) if t is not None]


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    x, weights, hx, cx, *ctx.form, _ = inputs
    ctx.save_for_backward(*output, x, hx, cx, *weights)


def _gradients(ctx: Any, *grads: Tensor | None) -> tuple[Any, ...]:
    *results, x, hx, cx = ctx.saved_tensors[:7]
    weights = ctx.saved_tensors[7:]
    dx, *found = RECURRENT_LAYER_BACKWARD(*grads[:3], results, x, weights, hx, cx, *ctx.form)
    dweights, states = found[: len(weights)], found[len(weights) :]
    return dx, dweights, states[0], states[1] if cx is not None else None, None, None, None, None


_LIBRARY.impl("recurrent_layer", _run, "CompositeExplicitAutograd")
_LIBRARY.impl("recurrent_layer_backward", _run_backward, "CompositeExplicitAutograd")
torch.library.register_fake("myjit::recurrent_layer", _fake, lib=_LIBRARY)
torch.library.register_fake("myjit::recurrent_layer_backward", _fake_backward, lib=_LIBRARY)
torch.library.register_autograd("myjit::recurrent_layer", _gradients, setup_context=_save, lib=_LIBRARY)

RECURRENT_LAYER = torch.ops.myjit.recurrent_layer.default
RECURRENT_LAYER_BACKWARD = torch.ops.myjit.recurrent_layer_backward.default


def is_trained(*inputs: Any) -> bool:
    """Tell whether gradients are to be computed by any of the tensors within `inputs`."""
    return torch.is_grad_enabled() and any(t.requires_grad for t in tree_leaves(inputs))


def library_of(kind: str, device: torch.device) -> str:
    """Return the name of what computes a layer there: empty where nothing does."""
    backends = torch.backends
    if device.type == "cuda" and backends.cudnn.enabled and backends.cudnn.is_available():
        return "cudnn"
    if kind == "lstm":
        return "onednn" if device.type == "cpu" and backends.mkldnn.is_available() else ""
    return "torch"


def recurrent_layer(
    kind: str,
    x: Tensor,
    hidden: Any,
    params: Sequence[Tensor],
    has_biases: bool,  # noqa: FBT001 (after the kind, as torch's function for a layer)
    *,
    reverse: bool = False,
) -> tuple[Tensor, Any]:
    """Return outputs and last states of a layer for x of shape (steps, batch, features), one way.

    `kind` is "lstm", "gru", "tanh" or "relu"; an LSTM's states are pairs.
    """
    weights = params[:4] if has_biases else params[:2]
    hx, cx = hidden if kind == "lstm" else (hidden, None)
    library, train = library_of(kind, x.device), is_trained(x, hidden, weights)
    out, hy, cy, _ = RECURRENT_LAYER(x, weights, hx, cx, library, kind, reverse, train)
    return out, (hy, cy) if kind == "lstm" else hy
