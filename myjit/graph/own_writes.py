"""Drop writes of what is there already: `x[0] *= 2` writes a product into `x`, and then `x[0]` into `x[0]`.

That is how Python spells it. The second write could take a kernel of its own, and IREE tiled some for ever.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import is_view

aten = torch.ops.aten

#: Writes into a part of a tensor, and what reads the same part.
_READS = {
    aten.slice_scatter.default: aten.slice.Tensor,
    aten.select_scatter.default: aten.select.int,
    aten.diagonal_scatter.default: aten.diagonal.default,
    aten.as_strided_scatter.default: aten.as_strided.default,
}


def run(gm: GraphModule) -> None:
    """Give the users of such a write what it would be written into."""
    for node in list(gm.graph.nodes):
        kept = _kept(node)
        if kept is not None:
            node.replace_all_uses_with(kept)
            gm.graph.erase_node(node)


def _kept(node: Node) -> Node | None:
    """Return what a node is equal to, if it writes a part of a tensor into the same part."""
    arguments: list[Any] = list(node.args)
    if node.target is aten.copy.default:
        there, given = arguments[:2]
        return given if _is_same(there, given) else None
    if node.target in _READS:
        whole, part, *place = arguments
        read = part.target is _READS[node.target]  # type: ignore[index]
        same = read and list(part.args[1:]) == place and _is_same(part.args[0], whole)
        return whole if same else None
    return _written_by_choice(node) if node.target is aten.where.self else None


def _is_same(a: Any, b: Any) -> bool:
    """Tell whether two nodes are the same view of the same tensor."""
    if a is b or not isinstance(a, Node) or not isinstance(b, Node):
        return a is b
    if a.target is not b.target or not is_view(a) or a.kwargs != b.kwargs:
        return False
    return _is_same(a.args[0], b.args[0]) and a.args[1:] == b.args[1:]


def _written_by_choice(node: Node) -> Node | None:
    """Return the tensor of which one place along a dimension is written into the same place, by a choice."""
    arguments: list[Any] = list(node.args)
    is_there, spread, whole = arguments
    chain = []
    for target in (aten.expand.default, aten.unsqueeze.default, aten.select.int):
        if not isinstance(spread, Node) or spread.target is not target:
            return None
        chain.append(spread)
        spread = spread.args[0]
    unsqueeze, select = chain[1:]
    value: Any = node.meta["val"]
    if not _is_same(spread, whole) or unsqueeze.args[1] != select.args[1]:
        return None
    like: Any = whole.meta["val"]
    dim, index = select.args[1:]
    if not all(isinstance(each, int) for each in (*value.shape, *like.shape, dim, index)):
        return None
    if like.shape != value.shape or like.dtype != value.dtype:
        return None
    size = value.shape[dim]
    is_place = _is_place(is_there, dim % value.dim(), value.dim(), size, index % size)
    return whole if is_place else None


def _is_place(node: Any, dim: int, rank: int, size: int, index: int) -> bool:
    """Tell whether truth values are those of one place along a dimension."""
    if not isinstance(node, Node) or node.target is not aten.eq.Scalar or node.args[1] != index:
        return False
    counted: Any = node.args[0]
    shape = counted.meta["val"].shape
    if (*[1] * (rank - len(shape)), *shape) != (*[1] * dim, size, *[1] * (rank - 1 - dim)):
        return False
    if counted.target is aten.view.default:
        counted = counted.args[0]
    return counted.target is aten.arange.start_step and counted.args == (0, size)
