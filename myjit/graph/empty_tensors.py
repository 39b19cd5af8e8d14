"""Keep tensors without elements out of compiled ops: the compilers divide by these sizes and crash.

What computes no elements runs in torch, at no cost (`Reason.EMPTY`); here go the ops that make something
of nothing.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import is_empty

aten = torch.ops.aten

#: Matrix products of the first two operands: zeros when what they sum over is empty.
_PRODUCTS = (aten.mm.default, aten.bmm.default, aten.dot.default, aten.mv.default)
#: Writes into the first operand, and which operand says what is written.
_WRITES = {
    aten.slice_scatter.default: 1,
    aten.scatter.src: 2,
    aten.scatter.value: 2,
    aten.scatter_add.default: 2,
}


def run(gm: GraphModule) -> None:
    """Drop empty parts of a concatenation and writes of nothing; write products over nothing as zeros."""
    for node in list(gm.graph.find_nodes(op="call_function", target=aten.cat.default)):
        _drop_empty(node)
    for target, place in _WRITES.items():
        for node in list(gm.graph.find_nodes(op="call_function", target=target)):
            if is_empty(node.args[place].meta["val"]):
                node.target, node.args, node.kwargs = aten.clone.default, node.args[:1], {}
    for target in _PRODUCTS:
        for node in list(gm.graph.find_nodes(op="call_function", target=target)):
            if node.args[0].meta["val"].shape[-1] == 0:
                _write_zeros(node)


def _drop_empty(cat: Node) -> None:
    parts: Any = cat.args[0]
    kept = [p for p in parts if not is_empty(p.meta["val"])]
    if kept and len(kept) < len(parts) and all(p.meta["val"].dtype == cat.meta["val"].dtype for p in kept):
        cat.args = (kept, *cat.args[1:])


def _write_zeros(node: Node) -> None:
    value = node.meta["val"]
    sizes = [s if isinstance(s, int) else None for s in value.shape]
    if None in sizes:
        return
    node.target, node.args = aten.full.default, (sizes, 0)
    node.kwargs = {"dtype": value.dtype, "device": value.device}
