"""Estimate a part's work, to choose where to run it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.fx import Node
from torch.utils.flop_counter import flop_registry

from myjit.frontend.nodes import hint, is_view, tensors

#: Multiply-adds of a contraction that take as long as one element of a pointwise op (measured by
#: benchmarks/driver_choice.py).
FLOPS_PER_ELEMENT = 60.0


def work(nodes: Sequence[Node]) -> float:
    """Estimate the work of `nodes` in elements: what a pointwise op does to one of them."""
    return sum(_node_work(n) for n in nodes if not is_view(n))


def _node_work(node: Node) -> float:
    elements = 0.0
    values = [n.meta.get("val") for n in (node, *node.all_input_nodes)]
    for tensor in (t for v in values for t in tensors(v)):
        count = 1.0
        for size in tensor.shape:
            count *= hint(size)
        elements = max(elements, count)
    packet = getattr(node.target, "overloadpacket", None)
    counter = flop_registry.get(packet)
    if counter is None:
        return elements

    def concrete(arg: object) -> object:
        value = arg.meta.get("val") if isinstance(arg, Node) else arg
        if isinstance(value, torch.Tensor):
            return torch.empty([hint(s) for s in value.shape], device="meta")
        return value

    try:
        flops = counter(*[concrete(a) for a in node.args], out_val=concrete(node))
    except (TypeError, ValueError, AssertionError, IndexError):
        return elements  # a counter for another form of the op
    return elements + float(flops) / FLOPS_PER_ELEMENT
