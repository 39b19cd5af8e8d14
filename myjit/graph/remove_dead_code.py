"""Remove nodes whose results nothing uses, and that do nothing else."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node


def run(gm: GraphModule) -> None:
    """Remove dead nodes in place, last to first, so that whole chains go."""
    for node in reversed(list(gm.graph.nodes)):
        if node.op in ("call_function", "get_attr") and not node.users and not _has_effect(node):
            gm.graph.erase_node(node)


def _has_effect(node: Node) -> bool:
    """Tell whether a node must stay: it writes, draws random numbers, asserts, or cannot be judged."""
    if node.op == "get_attr":
        return False
    if not isinstance(node.target, torch._ops.OpOverload):
        return node.is_impure() or isinstance(node.target, torch._ops.HigherOrderOperator)
    random = torch.Tag.nondeterministic_seeded in node.target.tags
    return random or node.target._schema.is_mutable or not node.target._schema.returns or node.is_impure()
