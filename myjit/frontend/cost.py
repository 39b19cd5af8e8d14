"""Estimate a part's work, to choose where to run it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.fx import Node
from torch.utils.flop_counter import flop_registry

from myjit.frontend.nodes import hint, is_view, tensors


def work(nodes: Sequence[Node]) -> float:
    """Estimate the floating-point operations of `nodes`, one per element for pointwise ops."""
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
        arguments = torch.fx.map_arg(node.args, lambda n: n)
        flops = counter(*[concrete(a) for a in arguments], out_val=concrete(node))
    except (TypeError, ValueError, AssertionError, IndexError):
        return elements  # a counter for another form of the op
    return float(flops)
