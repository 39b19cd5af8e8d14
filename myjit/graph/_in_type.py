"""Have an op of one tensor compute in another type."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import with_origin

aten = torch.ops.aten


def compute_in(gm: GraphModule, node: Node, source: Node, *dtypes: torch.dtype) -> None:
    """Give an op `source`, cast to each of the types in turn, and cast its result, of the last, back."""
    result = node.meta["val"]
    value, given = source.meta["val"], source
    for dtype in dtypes:
        value = value.to(dtype)
        with gm.graph.inserting_before(node):
            given = gm.graph.call_function(aten._to_copy.default, (given,), {"dtype": dtype})
        with_origin(given, node, value)
    with gm.graph.inserting_after(node):
        back = gm.graph.call_function(aten._to_copy.default, (), {"dtype": result.dtype})
    node.replace_all_uses_with(back)
    back.args = (node,)
    with_origin(back, node, result)
    node.args = (given, *node.args[1:])
    node.kwargs = {k: v for k, v in node.kwargs.items() if k != "dtype"}
    node.meta["val"] = result.to(dtypes[-1])
    node.meta.pop("tensor_meta", None)
