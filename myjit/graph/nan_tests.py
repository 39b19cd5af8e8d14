"""Keep `x == x` a question: torch-mlir folds it to true, which it is not for NaN (isfinite asks it)."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

aten = torch.ops.aten


def run(gm: GraphModule) -> None:
    """Ask `not (x != x)` instead, of floating-point numbers."""
    for node in gm.graph.find_nodes(op="call_function", target=aten.eq.Tensor):
        left, right = node.args
        if left is not right or not left.meta["val"].is_floating_point():
            continue
        with gm.graph.inserting_before(node):
            differs = gm.graph.call_function(aten.ne.Tensor, (left, right))
        differs.meta = dict(node.meta)
        node.target, node.args = aten.logical_not.default, (differs,)
