"""Let outputs of a graph share memory where eager's do.

Compiled code writes each output to memory of its own. Where the program returns a tensor and a view of
it, or two views of one, a later change of one must be seen through the other: such views are taken in
torch, of the tensor that the compiled code made. AOTAutograd takes views of inputs once more, and of
outputs, where they depend on sizes that change: by the strides and the place in memory of what it is
given, which therefore has to be such a view.
"""

from __future__ import annotations

import copy
import operator
from collections import Counter
from collections.abc import Collection

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import is_view

#: The key of a node's metadata that marks a view to be taken in torch.
ALIAS = "myjit_alias"


def share_memory_of_outputs(gm: GraphModule, views: Collection[int] = (), *, shared: bool = True) -> None:
    """Copy the chain of views of outputs that share memory, and mark the copies.

    Of those at the positions `views`, and (`shared`) of those that share memory with other outputs. Copies,
    so that compiled code that uses the views as well stays in one piece.
    """
    (output,) = gm.graph.find_nodes(op="output")
    results = [r for r in output.args[0] if isinstance(r, Node)]
    roots = {r: _root(r) for r in dict.fromkeys(results)}
    taken = {output.args[0][place] for place in views}
    if shared:
        counts = Counter(root for root in roots.values() if root.op == "call_function")
        taken.update(result for result, root in roots.items() if counts[root] > 1)
    copies: dict[Node, Node] = {}
    for result, root in roots.items():
        if result is not root and result in taken:
            with gm.graph.inserting_before(output):
                _copy_chain(gm, result, root, copies)
    if copies:
        output.args = (type(output.args[0])(copies.get(r, r) for r in output.args[0]),)
        gm.graph.lint()


def _root(node: Node) -> Node:
    """Return the node whose memory a view looks at."""
    while _looks_at_its_input(node):
        node = node.args[0]  # type: ignore[assignment]
    return node


def _looks_at_its_input(node: Node) -> bool:
    if node.op != "call_function" or not is_view(node) or not isinstance(node.args[0], Node):
        return False
    if node.target is torch.ops.aten.lift_fresh_copy.default:
        return False  # a constant's own copy for each call
    # One of several results has memory of its own, unless they are views themselves (of a split).
    return node.target is not operator.getitem or _looks_at_its_input(node.args[0])


def _copy_chain(gm: GraphModule, node: Node, root: Node, copies: dict[Node, Node]) -> Node:
    if node is root:
        return root
    if node not in copies:
        source = node.args[0]
        assert isinstance(source, Node)
        above = _copy_chain(gm, source, root, copies)
        copies[node] = gm.graph.node_copy(node, lambda n: above if n is source else n)
        if node.target is torch.ops.prims.squeeze.default:  # its results do not know whose views they are
            copies[node].target = torch.ops.aten.squeeze.dims
        copies[node].meta = {**copy.copy(node.meta), ALIAS: True}
    return copies[node]
