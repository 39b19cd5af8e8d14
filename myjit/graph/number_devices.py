"""Make numbers that are tensors of no dimension on the device that they are computed with.

Torch lets a tensor on a GPU meet such a tensor on the CPU, and writes `x[0] = 2` and `x * torch.tensor(2.0)`
so; a compiled op takes tensors of one device.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.extract import attribute
from myjit.frontend.nodes import tensors, with_origin
from myjit.graph._fills import filled_with, is_fill

aten = torch.ops.aten

_CPU = torch.device("cpu")
#: Ops beside the elementwise ones that take a number from the CPU among tensors of a GPU.
_TAKERS = (aten.copy.default, aten.fill.Tensor, aten.masked_fill.Tensor, aten.index_put.default)


def run(gm: GraphModule) -> None:
    """Give every op that computes on another device numbers of its own."""
    for node in list(gm.graph.nodes):
        if node.op == "call_function" and _takes_numbers(node.target):
            devices = {tensor.device for tensor in tensors(node.meta.get("val"))} - {_CPU}
            if len(devices) == 1:
                for number in [each for each in node.all_input_nodes if _is_number(gm, each)]:
                    node.replace_input_with(number, _made_on(gm, number, *devices))
                    _erase_unused(gm, number)


def _takes_numbers(target: Any) -> bool:
    return isinstance(target, torch._ops.OpOverload) and (
        torch.Tag.pointwise in target.tags or target in _TAKERS
    )


def _is_number(gm: GraphModule, node: Node) -> bool:
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.dim() or value.device != _CPU:
        return False
    if node.op == "get_attr":
        return type(attribute(gm, node)) is torch.Tensor
    return is_fill(node) or node.target is aten.scalar_tensor.default


def _erase_unused(gm: GraphModule, number: Node) -> None:
    """Erase a number that nothing reads, and an empty tensor that it was made like."""
    if number.users:
        return
    likes = number.all_input_nodes
    gm.graph.erase_node(number)
    for like in likes:
        if like.target is aten.empty_strided.default:
            _erase_unused(gm, like)


def _made_on(gm: GraphModule, number: Node, device: torch.device) -> Node:
    value: Any = number.meta["val"]
    settings = {"dtype": value.dtype, "device": device}
    with gm.graph.inserting_after(number):
        if number.op == "get_attr":
            filled = attribute(gm, number).item()
        else:
            filled = filled_with(number) if is_fill(number) else number.args[0]
        new = gm.graph.call_function(aten.full.default, ([], filled), settings)
    return with_origin(new, number, value.to(device))
