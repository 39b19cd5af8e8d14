"""Decompose single nodes of a graph that was traced whole, and leave the others as they are."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg

from myjit.frontend.nodes import is_view, mode_of, with_origin

Table = Mapping[Any, Callable[..., Any]]


def decompose_nodes(gm: GraphModule, table: Table, kept: Collection[Node]) -> None:
    """Replace each node that `table` decomposes by its decomposition, except those in `kept`."""
    for node in list(gm.graph.nodes):
        if node.op == "call_function" and node not in kept and node.target in table:
            _inline(gm.graph, node, _traced(node, table))
    gm.graph.eliminate_dead_code()
    gm.graph.lint()
    gm.recompile()


def _traced(node: Node, table: Table) -> Graph:
    """Trace one node's decomposition on the values of its example, as a graph over its input nodes."""
    inputs = node.all_input_nodes
    op: Any = node.target

    def run(*values: Any) -> Any:
        given = dict(zip(inputs, values, strict=True))
        args, kwargs = map_arg((node.args, node.kwargs), given.__getitem__)
        return op(*args, **kwargs)

    values = [n.meta["val"] for n in inputs]
    with mode_of(values):
        return make_fx(run, decomposition_table=dict(table))(*values).graph


def _inline(graph: Graph, node: Node, body: Graph) -> None:
    places = dict(zip(body.find_nodes(op="placeholder"), node.all_input_nodes, strict=True))
    (output,) = body.find_nodes(op="output")
    results: Any = output.args[0]
    if not _can_stand_for(node, results, places) or body.find_nodes(op="get_attr"):
        return
    with graph.inserting_before(node):
        for inner in body.nodes:
            if inner.op == "call_function":
                places[inner] = graph.node_copy(inner, places.__getitem__)
                with_origin(places[inner], node, inner.meta.get("val"))
    if isinstance(results, Node):
        node.replace_all_uses_with(places[results])
    else:
        for user in list(node.users):
            user.replace_all_uses_with(places[results[_index(user)]])
            graph.erase_node(user)
    graph.erase_node(node)


def _can_stand_for(node: Node, results: Any, inputs: Collection[Node]) -> bool:
    """Tell whether a decomposition's results are what the op's are: values of their own, each used singly."""
    each = [results]
    if isinstance(results, (tuple, list)):
        users = list(node.users)
        if not all(u.target is operator.getitem for u in users):
            return False
        each = [results[_index(u)] for u in users]
    if not all(isinstance(r, Node) for r in each):
        return False
    return is_view(node) or not any(r in inputs for r in each)


def _index(getitem: Node) -> Any:
    return getitem.args[1]
