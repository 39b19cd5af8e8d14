"""Find the inputs that compiled code may update where they lie: caches of keys and values, say.

AOTAutograd has a graph return what an input becomes, and copies that into it: a whole cache, for the few
elements that are new. Where nothing but the update reads the input, compiled code writes into its memory, and
returns the input itself: nothing is left to copy. A call with an index out of range ends in torch's own error
as ever, and may have written at the nearest place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import is_view

aten = torch.ops.aten

#: Ops that give their first operand with other elements in places.
_WRITES = (
    aten.index_put.default,
    aten.slice_scatter.default,
    aten.scatter.src,
    aten.scatter.value,
)
#: On what an input becomes: the name of the input.
IN_PLACE = "myjit_in_place"


def mark_in_place(gm: GraphModule, written: Sequence[int]) -> None:
    """Mark what may be written into its input; results begin with what the inputs `written` become."""
    placeholders = gm.graph.find_nodes(op="placeholder")
    (output,) = gm.graph.find_nodes(op="output")
    results: Sequence[Any] = output.args[0]
    for index, result in zip(written, results, strict=False):
        given = placeholders[index]
        if isinstance(result, Node) and _updates(result, given) and _is_alone(result, results):
            result.meta[IN_PLACE] = given.name


def _updates(result: Node, given: Node) -> bool:
    """Tell whether a node is an input with new elements at some places, and nothing else reads that input.

    A call that fails is made again in torch: elements added to what is there would be added twice.
    """
    node = result
    while _writes(node):
        source = node.args[0]
        assert isinstance(source, Node)
        if source is given:
            return all(user is node or _is_overwritten(user) for user in given.users)
        node = source
    return False


def _writes(node: Node) -> bool:
    """Tell whether a node is its first operand with other elements in places."""
    adds = node.target == aten.index_put.default and node.args[3:] not in ((), (False,))
    return node.target in _WRITES and not adds and not node.kwargs


def _is_overwritten(view: Node) -> bool:
    """Tell whether a view is there to be copied into: nothing of it is read but its size."""
    copies = all(user.target == aten.copy.default and user.args[0] is view for user in view.users)
    return is_view(view) and copies and all(user.args[1] is not view for user in view.users)


def _is_alone(result: Node, results: Sequence[Any]) -> bool:
    """Tell whether no other result is the node, or a view of it: the caller would share the input."""
    waiting, seen = [result], {result}
    while waiting:
        for user in waiting.pop().users:
            if is_view(user) and user not in seen:
                seen.add(user)
                waiting.append(user)
    return sum(each in seen for each in results if isinstance(each, Node)) == 1
