"""What tracing records of each node, `meta["val"]`: filled in where it is missing, and kept true."""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import Any

import torch
from torch._guards import detect_fake_mode
from torch.fx import Graph, GraphModule, Node, map_arg

from myjit.frontend.nodes import op_name

#: What each node computes: its function and its arguments.
Computed = dict[Node, tuple[Any, Any, Any]]


def computed(graph: Graph) -> Computed:
    """Return what each node computes, to compare with later."""
    return {n: (n.target, n.args, n.kwargs) for n in graph.nodes if n.op == "call_function"}


def fill_missing(gm: GraphModule) -> None:
    """Record values that tracing left out: what comes of an op under a random state of its own."""
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.users and node.meta.get("val") is None:
            function, args = node.target, node.args
            if op_name(node).endswith("run_with_rng_state"):  # of a state, an op and its arguments
                function, args = node.args[1], node.args[2:]
            if isinstance(function, torch._ops.OpOverload):
                with suppress(Exception):  # what takes a value that nothing is known of runs in torch
                    node.meta["val"] = _value(function, args, node.kwargs)


def refresh(gm: GraphModule, before: Computed, results: tuple[Any, ...]) -> None:
    """Record the values of nodes that a pass has made or changed, and of what comes of them.

    Raises:
        ValueError: the graph returns something else than `results`, which `returned` gave before the pass.
        Exception: what an op raises that does not take its operands.
    """
    changed: set[Node] = set()
    for node in gm.graph.nodes:
        if node.op != "call_function":
            continue
        is_new = before.get(node) != (node.target, node.args, node.kwargs)
        if not is_new and changed.isdisjoint(node.all_input_nodes):
            continue
        if isinstance(node.target, torch._ops.OpOverload) or node.target is operator.getitem:
            value = _value(node.target, node.args, node.kwargs)
            if _described(value) != _described(node.meta.get("val")):
                changed.add(node)
            node.meta["val"] = value
    now = returned(gm.graph)
    if now != results:
        raise ValueError(f"the graph returned {results}, and returns {now} now")


def returned(graph: Graph) -> tuple[Any, ...]:
    """Describe what a graph returns.

    Raises:
        ValueError: it has no output.
    """
    outputs = graph.find_nodes(op="output")
    if not outputs:
        raise ValueError("the graph has no output any more")
    return tuple(_described(r.meta.get("val")) if isinstance(r, Node) else r for r in outputs[0].args[0])


def _value(function: Any, args: Any, kwargs: Any) -> Any:
    operands = map_arg((args, kwargs), lambda n: n.meta["val"])
    mode = detect_fake_mode(operands)
    if mode is None:  # of example tensors
        return function(*operands[0], **operands[1])
    with mode:
        return function(*operands[0], **operands[1])


def _described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        sizes = ", ".join(str(size) if isinstance(size, int) else "?" for size in value.shape)
        return f"{str(value.dtype).removeprefix('torch.')}[{sizes}]"
    if isinstance(value, (tuple, list)):
        return ", ".join(map(_described, value))
    return type(value).__name__
