"""Write as numbers the sizes that tracing found out to be numbers.

Attention fixes the last size of its inputs, which until then may be any: what was traced before has a symbol
there, which stands for a number by now, and torch-mlir makes tensors of unknown size of it. It refused
programs in which the two meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.fx.node import map_arg

from myjit.frontend.nodes import mode_of


def run(gm: GraphModule) -> None:
    """Replace symbols that stand for numbers, in the graph and in the values of its nodes."""
    for node in gm.graph.nodes:
        value = node.meta.get("val")
        node.meta.pop("tensor_meta", None)  # a copy, which torch-mlir's importer would rather believe
        if isinstance(value, (tuple, list)):
            node.meta["val"] = type(value)(_with_numbers(each) for each in value)
        else:
            node.meta["val"] = _with_numbers(value)
    for node in reversed(gm.graph.nodes):
        if node.op != "call_function":
            continue
        if _is_known(node.meta.get("val")) and not node.users:
            gm.graph.erase_node(node)
        else:
            node.args, node.kwargs = map_arg((node.args, node.kwargs), _number)


def _number(node: Node) -> Node | int:
    value: Any = node.meta.get("val")
    return int(value) if _is_known(value) else node


def _with_numbers(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.is_sparse:
        return value
    if not any(map(_is_known, (*value.shape, *value.stride()))):
        return value
    with mode_of(value):
        return torch.empty_strided(
            _numbers(value.shape), _numbers(value.stride()), dtype=value.dtype, device=value.device
        )


def _numbers(sizes: Iterable[Any]) -> list[Any]:
    return [int(size) if _is_known(size) else size for size in sizes]


def _is_known(size: Any) -> bool:
    if not isinstance(size, torch.SymInt) or not size.node.expr.is_number:
        return False
    return not free_unbacked_symbols(size.node._expr)  # the program itself asserts what these are
