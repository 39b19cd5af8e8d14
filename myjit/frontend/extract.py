"""Copy some nodes of a graph into a graph of their own."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

#: Tensor constants up to this many bytes become literals in the IR, which IREE puts inside of kernels. Larger
#: ones stay inputs: IREE would make buffers of them, and a program with buffers of its own is no launches.
_LITERAL_BYTES = 256


@dataclass(frozen=True)
class Extract:
    """A part as a module: it takes the values of `inputs` and returns those of `outputs`."""

    module: GraphModule
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]


def extract(gm: GraphModule, nodes: Sequence[Node], kept: Collection[Node] = ()) -> Extract:
    """Copy `nodes`, in graph order, into a new GraphModule.

    The inputs are in order of first use, or the graph's own where they are the same ones. The outputs are the
    nodes used outside of the part (by the graph's output too) or in `kept`.
    Names and metadata stay the same. Small constants are copied along, large ones become inputs.
    """
    inside = set(nodes)
    inputs = [n for n in _used(nodes) if n not in inside]
    given = gm.graph.find_nodes(op="placeholder")
    if set(inputs) == set(given):  # then the part is called with what the graph is called with, as it is
        inputs = given
    literals = [n for n in inputs if n.op == "get_attr" and is_literal(attribute(gm, n))]
    inputs = [n for n in inputs if n not in literals]
    outputs = [n for n in nodes if n in kept or any(u not in inside for u in n.users)]
    outputs = [n for n in outputs if not isinstance(n.meta.get("val"), (tuple, list))]

    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in inputs:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = copy.copy(node.meta)
    for node in (*literals, *nodes):
        copies[node] = graph.node_copy(node, copies.__getitem__)
        copies[node].meta = copy.copy(node.meta)
    graph.output(tuple(copies[n] for n in outputs))
    graph.lint()
    return Extract(GraphModule(gm, graph), tuple(inputs), tuple(outputs))


def attribute(gm: GraphModule, node: Node) -> Any:
    """Return the value that a get_attr node reads."""
    value: Any = gm
    for name in str(node.target).split("."):
        value = getattr(value, name)
    return value


def is_literal(value: Any) -> bool:
    """Tell whether a constant is written into the IR, by its size."""
    return not isinstance(value, torch.Tensor) or value.numel() * value.itemsize <= _LITERAL_BYTES


def _used(nodes: Sequence[Node]) -> list[Node]:
    """List the inputs of `nodes`, in order of first use, once each."""
    return list(dict.fromkeys(i for n in nodes for i in n.all_input_nodes))
