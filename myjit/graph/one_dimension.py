"""Give tensors without dimensions one, where an op goes along a dimension: few lowerings expect none.

IREE's compiler crashes on a write at a place that a tensor without dimensions gives.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import is_view, with_origin

aten = torch.ops.aten

#: Arguments that say along which dimensions an op goes, and ops that do so without one.
_DIMENSIONS = frozenset({"dim", "dims"})
_BY_LIST = frozenset((aten.index.Tensor, aten.index_put.default))
#: Arguments that are numbers, though tensors.
_NUMBERS = frozenset({"value", "values"})


def run(gm: GraphModule) -> None:
    """View the operands of each such op as one element in a row, and its results as they were."""
    for node in list(gm.graph.nodes):
        if _goes_along_a_dimension(node) and any(_is_scalar(arg) for arg in _operands(node).values()):
            _rewrite(gm, node)
        elif node.target is aten.index_put.default and _is_by_scalars(node.args[1]):
            _write_a_row(gm, node)


def _operands(node: Node) -> dict[int, Any]:
    """Return the arguments that may be tensors along the dimension, by position."""
    assert isinstance(node.target, torch._ops.OpOverload)
    names = [a.name for a in node.target._schema.arguments]
    return {place: arg for place, arg in enumerate(node.args) if names[place] not in _NUMBERS}


def _write_a_row(gm: GraphModule, node: Node) -> None:
    """Give the places of a write, one for each of the first dimensions, a dimension."""
    indices: Any = node.args[1]
    with gm.graph.inserting_before(node):
        node.update_arg(1, [_in_a_row(gm, index, node) for index in indices])


def _goes_along_a_dimension(node: Node) -> bool:
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload) or is_view(node):
        return False
    if torch.Tag.nondeterministic_seeded in node.target.tags or node.target._schema.is_mutable:
        return False
    names = {a.name for a in node.target._schema.arguments}
    return bool(node.args) and (bool(names & _DIMENSIONS) or node.target in _BY_LIST)


def _is_by_scalars(indices: Any) -> bool:
    return all(_is_scalar(index) for index in indices)


def _is_scalar(value: Any) -> bool:
    known = value.meta.get("val") if isinstance(value, Node) else None
    return isinstance(known, torch.Tensor) and known.dim() == 0


def _rewrite(gm: GraphModule, node: Node) -> None:
    before = node.meta["val"]
    with gm.graph.inserting_before(node):
        for place, arg in _operands(node).items():
            if _is_scalar(arg):
                node.update_arg(place, _in_a_row(gm, arg, node))
    assert isinstance(node.target, torch._ops.OpOverload)
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
    node.meta["val"] = node.target(*args, **kwargs)
    node.meta.pop("tensor_meta", None)
    for result, wanted in _results(node, before):
        if result.meta["val"].shape != wanted.shape:
            _view_as(gm, result, wanted)


def _in_a_row(gm: GraphModule, operand: Any, origin: Node) -> Node:
    return _view(gm, operand, operand.meta["val"].reshape(1), origin)


def _results(node: Node, before: Any) -> Iterator[tuple[Node, torch.Tensor]]:
    """Yield each tensor that the op makes, with the value that it had."""
    if isinstance(before, torch.Tensor):
        yield node, before
        return
    for user in node.users:
        if user.target is operator.getitem:
            index = user.args[1]
            user.meta["val"] = node.meta["val"][index]
            user.meta.pop("tensor_meta", None)
            yield user, before[index]


def _view_as(gm: GraphModule, result: Node, wanted: torch.Tensor) -> None:
    users = list(result.users)
    with gm.graph.inserting_after(result):
        view = _view(gm, result, wanted, result)
    for user in users:
        user.replace_input_with(result, view)


def _view(gm: GraphModule, source: Node, value: torch.Tensor, origin: Node) -> Node:
    view = gm.graph.call_function(aten.view.default, (source, list(value.shape)))
    return with_origin(view, origin, value)
