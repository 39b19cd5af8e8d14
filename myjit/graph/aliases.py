"""Replace ops that are other names of ops with a lowering; torch makes some after it has decomposed."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

aten = torch.ops.aten

_SAME = {
    aten.true_divide.Tensor: aten.div.Tensor,
    aten.true_divide.Scalar: aten.div.Scalar,
    aten.multiply.Tensor: aten.mul.Tensor,
    aten.multiply.Scalar: aten.mul.Scalar,
    aten.subtract.Tensor: aten.sub.Tensor,
    aten.subtract.Scalar: aten.sub.Scalar,
}


def run(gm: GraphModule) -> None:
    """Rename the calls in place."""
    for alias, op in _SAME.items():
        for node in gm.graph.find_nodes(op="call_function", target=alias):
            node.target = op
