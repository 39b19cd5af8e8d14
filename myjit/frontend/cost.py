"""Estimate a part's work, to choose where to run it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.fx import Node
from torch.utils.flop_counter import flop_registry

from myjit.frontend.nodes import hint, is_named, is_view, tensors

#: Multiply-adds of a contraction that take as long as one element of a pointwise op (measured by
#: benchmarks/driver_choice.py).
FLOPS_PER_ELEMENT = 60.0


#: Ops that read as many elements of their first input as they give, however large it is.
_SAMPLING = ("aten.embedding", "aten.index_select", "aten.index", "aten.gather", "aten.take")


def work(nodes: Sequence[Node]) -> float:
    """Estimate the work of `nodes` in elements: what a pointwise op does to one of them."""
    return sum(_node_work(n) for n in nodes if not is_view(n))


def _node_work(node: Node) -> float:
    elements = 0.0
    sources = node.all_input_nodes[1:] if is_named(node, _SAMPLING) else node.all_input_nodes
    values = [n.meta.get("val") for n in (node, *sources)]
    for tensor in (t for v in values for t in tensors(v)):
        count = 1.0
        for size in tensor.shape:
            count *= hint(size)
        elements = max(elements, count)
    return elements + flops(node) / FLOPS_PER_ELEMENT


def flops(node: Node) -> float:
    """Count the floating-point operations of a contraction or a convolution; 0 for other ops."""
    counter = flop_registry.get(getattr(node.target, "overloadpacket", None))
    if counter is None:
        return 0.0

    def concrete(arg: object) -> object:
        value = arg.meta.get("val") if isinstance(arg, Node) else arg
        if isinstance(value, torch.Tensor):
            return torch.empty([hint(s) for s in value.shape], device="meta")
        return value

    try:
        return float(counter(*[concrete(a) for a in node.args], out_val=concrete(node)))
    except (TypeError, ValueError, AssertionError, IndexError):
        return 0.0  # a counter for another form of the op
