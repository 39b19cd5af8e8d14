"""Make tensors of sizes that stand where an op takes a tensor: `arange(n) // x.shape[1]`, `x.shape[0] - y`.

torch-mlir's importer takes no such number there, nor does the check of divisors.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import mode_of, tensors, with_origin

aten = torch.ops.aten

#: Overloads that take a number first, and those that take a tensor there.
_OF_TENSORS = {aten.remainder.Scalar_Tensor: aten.remainder.Tensor}


def run(gm: GraphModule) -> None:
    """Give each op a tensor of no dimensions for every size among its tensors."""
    for node in [n for n in gm.graph.nodes if isinstance(n.target, torch._ops.OpOverload)]:
        given = [*node.args]
        kinds = [str(argument.type) for argument in node.target._schema.arguments]
        if node.target in _OF_TENSORS and _is_size(given[0]):
            node.target, kinds[0] = _OF_TENSORS[node.target], "Tensor"
        if any(kind == "Tensor" and _is_size(value) for kind, value in zip(kinds, given, strict=False)):
            node.args = tuple(
                _tensor(gm, node, value) if kind == "Tensor" and _is_size(value) else value
                for kind, value in zip(kinds, given, strict=False)
            )


def _is_size(value: Any) -> bool:
    return isinstance(value, Node) and isinstance(value.meta.get("val"), torch.SymInt)


def _tensor(gm: GraphModule, node: Node, size: Node) -> Node:
    result = next(tensors(node.meta["val"]))
    settings = {"dtype": torch.int64, "device": result.device}
    with gm.graph.inserting_before(node):
        tensor = gm.graph.call_function(aten.scalar_tensor.default, (size,), settings)
    with mode_of(result):
        return with_origin(tensor, node, aten.scalar_tensor.default(size.meta["val"], **settings))
