"""Make tensors of numbers that stand where an op takes a tensor: `arange(n) // x.shape[1]`, `math.pi - x`.

torch-mlir's importer takes no size there, nor does the check of divisors, and rounds floats to float32.
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
    """Give each op tensors of no dimensions for sizes, and for floats beside float64, among its tensors."""
    for node in [n for n in gm.graph.nodes if isinstance(n.target, torch._ops.OpOverload)]:
        given = [*node.args]
        kinds = [str(argument.type) for argument in node.target._schema.arguments]
        if node.target in _OF_TENSORS and _is_size(given[0]):
            node.target, kinds[0] = _OF_TENSORS[node.target], "Tensor"
        is_wide = any(_is_float64(value) for value in given)
        for place, (kind, value) in enumerate(zip(kinds, given, strict=False)):
            if kind != "Tensor":
                continue
            if _is_size(value):
                given[place] = _tensor(gm, node, value, torch.int64)
            elif isinstance(value, float) and is_wide and not (place and _takes_numbers(node.target)):
                given[place] = _tensor(gm, node, value, torch.float64)
        node.args = tuple(given)


def _takes_numbers(target: torch._ops.OpOverload) -> bool:
    """Tell whether an op has an overload for a number on the right, which the importer then takes."""
    return "Scalar" in target.overloadpacket.overloads()


def _is_size(value: Any) -> bool:
    return isinstance(value, Node) and isinstance(value.meta.get("val"), torch.SymInt)


def _is_float64(value: Any) -> bool:
    tensor = value.meta.get("val") if isinstance(value, Node) else None
    return isinstance(tensor, torch.Tensor) and tensor.dtype == torch.float64


def _tensor(gm: GraphModule, node: Node, number: Any, dtype: torch.dtype) -> Node:
    result = next(tensors(node.meta["val"]))
    settings = {"dtype": dtype, "device": result.device}
    with gm.graph.inserting_before(node):
        tensor = gm.graph.call_function(aten.scalar_tensor.default, (number,), settings)
    known = number.meta["val"] if isinstance(number, Node) else number
    with mode_of(result):
        return with_origin(tensor, node, aten.scalar_tensor.default(known, **settings))
