"""Count the dimension of scatters and gathers from the front: torch-mlir crashes on some from the back."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

aten = torch.ops.aten

_TARGETS = (
    aten.gather.default,
    aten.index_add.default,
    aten.index_copy.default,
    aten.index_fill.int_Scalar,
    aten.index_fill.int_Tensor,
    aten.index_select.default,
    aten.scatter.reduce,
    aten.scatter.src,
    aten.scatter.value,
    aten.scatter.value_reduce,
    aten.scatter_add.default,
    aten.scatter_reduce.two,
)


def run(gm: GraphModule) -> None:
    """Rewrite the second argument in place."""
    for target in _TARGETS:
        for node in gm.graph.find_nodes(op="call_function", target=target):
            dim = node.args[1]
            if isinstance(dim, int) and dim < 0:
                node.args = (node.args[0], dim + max(1, node.args[0].meta["val"].dim()), *node.args[2:])
