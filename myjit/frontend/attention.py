"""Keep scaled dot product attention one op, `myjit::attention`, where torch would take it apart as it traces.

torch chooses among its kernels by the tensors that it sees; fake ones with a mask it gives the formula, in
f32. As one op, attention is compiled to a kernel, or runs in torch as in eager. It has no derivative, so only
graphs without gradients are changed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

_DTYPES = (torch.float16, torch.bfloat16, torch.float32)
_LIBRARY = torch.library.Library("myjit", "FRAGMENT")
_LIBRARY.define(
    "attention(Tensor query, Tensor key, Tensor value, Tensor? mask, bool causal, float? scale, bool shared)"
    " -> Tensor"
)


def _empty(query: Tensor, value: Tensor) -> Tensor:
    """Allocate a result; its dimensions lie in memory in the order of the query's."""
    order = sorted(range(4), key=lambda d: (-query.stride(d), d))
    shape = (*query.shape[:-1], value.shape[-1])
    return torch.empty_permuted(shape, order, dtype=query.dtype, device=query.device)


def _run(  # noqa: PLR0917 (the op's own signature)
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    causal: bool,  # noqa: FBT001
    scale: float | None,
    shared: bool,  # noqa: FBT001
) -> Tensor:
    result = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, mask, is_causal=causal, scale=scale, enable_gqa=shared
    )
    expected = _empty(query, value)
    return result if result.stride() == expected.stride() else expected.copy_(result)


def _fake(query: Tensor, key: Tensor, value: Tensor, *_: Any) -> Tensor:
    return _empty(query, value)


_LIBRARY.impl("attention", _run, "CompositeExplicitAutograd")
torch.library.register_fake("myjit::attention", _fake, lib=_LIBRARY)

#: The op: query, key, value, mask, whether rows see no later columns, scale, whether heads are shared.
ATTENTION = torch.ops.myjit.attention.default


@contextmanager
def attention_kept(gm: GraphModule) -> Iterator[None]:
    """Make each attention in Dynamo's graph one op; afterwards the graph is as it was."""
    found = [(n, given) for n in gm.graph.nodes if (given := _given(n)) is not None]
    if not found or torch.is_grad_enabled():
        yield
        return
    before = copy.deepcopy(gm.graph)
    for node, given in found:
        with gm.graph.inserting_before(node):
            new = gm.graph.call_function(ATTENTION, given)
        new.meta = dict(node.meta)
        node.replace_all_uses_with(new)
        gm.graph.erase_node(node)
    gm.recompile()
    try:
        yield
    finally:
        gm.graph = before


def _given(node: Node) -> tuple[Any, ...] | None:
    """Return the arguments for `myjit::attention`; None for what is no call that it stands for."""
    if node.target is not torch.nn.functional.scaled_dot_product_attention:
        return None
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    tensors = [given.get(name) for name in names[:3]]
    found = [t.meta.get("example_value") for t in tensors if isinstance(t, Node)]
    values = [v for v in found if isinstance(v, Tensor) and v.dim() == 4 and v.dtype in _DTYPES]
    made = node.meta.get("example_value")
    if len(values) != 3 or (isinstance(made, Tensor) and made.dtype != values[0].dtype):
        return None  # autocast, which does not reach into the op, casts the operands
    if len({(v.dtype, v.device) for v in values}) != 1 or given.get("dropout_p", 0.0) != 0.0:
        return None
    causal, shared = given.get("is_causal", False), given.get("enable_gqa", False)
    scale, mask = given.get("scale"), given.get("attn_mask")
    if not isinstance(causal, bool) or not isinstance(shared, bool) or isinstance(scale, Node):
        return None
    return (*tensors, mask, causal, scale, shared)
