"""Add up the half types in float32, as torch's kernels do: in their own few bits a long sum stands still."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import with_origin

aten = torch.ops.aten

_SUMS = (
    aten.sum.default,
    aten.sum.dim_IntList,
    aten.mean.default,
    aten.mean.dim,
    aten.prod.default,
    aten.prod.dim_int,
    aten.cumsum.default,
    aten.cumprod.default,
    aten.linalg_vector_norm.default,
    aten.avg_pool1d.default,
    aten.avg_pool2d.default,
    aten.avg_pool3d.default,
    aten._adaptive_avg_pool2d.default,
    aten._adaptive_avg_pool3d.default,
    aten.adaptive_avg_pool1d.default,
)
_HALF = (torch.float16, torch.bfloat16)


def run(gm: GraphModule) -> None:
    """Cast the operand of every such op to float32, and its result back."""
    for target in _SUMS:
        for node in list(gm.graph.find_nodes(op="call_function", target=target)):
            if node.meta["val"].dtype in _HALF:
                _widen(gm, node)


def _widen(gm: GraphModule, node: Node) -> None:
    result = node.meta["val"]
    source: Any = node.args[0]
    with gm.graph.inserting_before(node):
        wide = gm.graph.call_function(aten._to_copy.default, (source,), {"dtype": torch.float32})
    with_origin(wide, node, source.meta["val"].to(torch.float32))
    with gm.graph.inserting_after(node):
        back = gm.graph.call_function(aten._to_copy.default, (), {"dtype": result.dtype})
    node.replace_all_uses_with(back)
    back.args = (node,)
    with_origin(back, node, result)
    node.replace_input_with(source, wide)
    node.kwargs = {k: v for k, v in node.kwargs.items() if k != "dtype"}
    node.meta["val"] = result.to(torch.float32)
    node.meta.pop("tensor_meta", None)
