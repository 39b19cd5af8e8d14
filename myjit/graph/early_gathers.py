"""Gather from what is computed elementwise before it is computed.

A loss needs one logarithm of each row of a log-softmax. Gathered from the result, all are computed and
written: as much memory again as the logits. The same few numbers, gathered from the logits, go through the
same arithmetic.
"""

from __future__ import annotations

from typing import Any

import torch
import torch._prims  # registers prims.convert_element_type
from torch import Tensor
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import with_origin

aten = torch.ops.aten

_ELEMENTWISE = (
    aten.sub.Tensor,
    aten.add.Tensor,
    aten.mul.Tensor,
    aten.div.Tensor,
    torch.ops.prims.convert_element_type.default,
)
#: What is gathered is at most this part of what it is gathered from: two gathers may take the place of one.
_PART = 4


def run(gm: GraphModule) -> None:
    """Rewrite the gathers of few elements of known shapes."""
    gathers = gm.graph.find_nodes(op="call_function", target=aten.gather.default)
    while gathers:
        gather = gathers.pop()
        source = gather.args[0]
        if source.target in _ELEMENTWISE and not source.kwargs and _is_of_few(gather, source.meta["val"]):
            gathers += _gather_first(gm, gather, source)
            if not source.users:
                gm.graph.erase_node(source)


def _is_of_few(gather: Node, value: Tensor) -> bool:
    """Tell whether a gather takes few elements of rows of `value`, from each of them."""
    taken = gather.meta["val"]
    is_known = all(isinstance(size, int) for size in (*value.shape, *taken.shape))
    if not is_known or not value.dim() == taken.dim() > 0:
        return False
    dim: Any = gather.args[1]
    dim %= value.dim()
    same = all(a == b for i, (a, b) in enumerate(zip(value.shape, taken.shape, strict=True)) if i != dim)
    return same and _PART * taken.shape[dim] <= value.shape[dim]


def _varies(operand: Any, value: Tensor, dim: int) -> bool:
    """Tell whether an operand of `value` has an element of its own for each along `dim`."""
    shape = operand.meta["val"].shape if isinstance(operand, Node) else ()
    from_end = value.dim() - dim % value.dim()
    return len(shape) >= from_end and shape[-from_end] != 1


def _gather_first(gm: GraphModule, gather: Node, source: Node) -> list[Node]:
    """Replace a gather by the same of its source's operands; return the new gathers."""
    args: Any = gather.args
    _, dim, index, *rest = args
    value, op = source.meta["val"], source.target
    assert isinstance(op, torch._ops.OpOverload)
    made: list[Node] = []

    def taken(operand: Any) -> Any:
        if not _varies(operand, value, dim):
            return operand
        given = operand.meta["val"].expand(value.shape)
        if given.shape != operand.meta["val"].shape:
            expanded = gm.graph.call_function(aten.expand.default, (operand, list(value.shape)))
            operand = with_origin(expanded, source, given)
        node = gm.graph.call_function(aten.gather.default, (operand, dim, index, *rest), gather.kwargs)
        made.append(with_origin(node, gather, given.gather(dim, index.meta["val"])))
        return node

    with gm.graph.inserting_before(gather):
        result = gm.graph.call_function(op, tuple(map(taken, source.args)))
    with_origin(result, source, gather.meta["val"])
    gather.replace_all_uses_with(result)
    gm.graph.erase_node(gather)
    return made
