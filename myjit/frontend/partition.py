"""Group nodes into parts that run one after the other, compiled and torch in turn.

Every node gets a level: one more than its inputs' where the kind changes, the inputs' own where it
does not. Nodes of one level and kind form a part. A path that leaves a part comes back at a higher
level, so parts never depend on each other in a circle, and there are as few as the deepest
alternation needs. What needs one value at most then sinks to where it is used. Linear in the graph's size.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch.fx import Node

from myjit.frontend.nodes import is_view


@dataclass(frozen=True)
class Part:
    """Nodes, in graph order, that run together: compiled, or in torch."""

    compiled: bool
    nodes: tuple[Node, ...]


def partition(nodes: Sequence[Node], rejected: Collection[Node]) -> list[Part]:
    """Group `nodes` (in graph order) into parts in execution order.

    Nodes with effects keep their order among each other: random numbers must be drawn in the order
    of the program. What changes memory comes after all nodes before it, and before all after it. Views
    that only torch reads run in torch: ops may depend on how a view lies in memory, and compiled code
    would make it dense.
    """
    rejected = {*rejected, *_views_for_torch(nodes, rejected)}
    levels: dict[Node, int] = {}
    inside = set(nodes)
    last_effect: Node | None = None
    last_change: Node | None = None
    for node in nodes:
        compiled = node not in rejected
        level = 1 if compiled else 0
        before = [n for n in node.all_input_nodes if n in inside]
        if _changes_memory(node):
            before, last_change = list(levels), node
        elif last_change is not None:
            before.append(last_change)
        if _has_effect(node):
            before += [last_effect] if last_effect is not None else []
            last_effect = node
        for other in before:
            changes = compiled != (other not in rejected)
            level = max(level, levels[other] + changes)
        levels[node] = level
    if last_change is None:
        _sink(nodes, rejected, levels)
    groups: dict[int, list[Node]] = {}
    for node in nodes:
        groups.setdefault(levels[node], []).append(node)
    return [Part(bool(level % 2), tuple(groups[level])) for level in sorted(groups)]


def _views_for_torch(nodes: Sequence[Node], rejected: Collection[Node]) -> set[Node]:
    found: set[Node] = set()
    for node in reversed(nodes):
        single = is_view(node) and node.target is not operator.getitem
        if single and node.users and all(user in rejected or user in found for user in node.users):
            found.add(node)
    return found


def _sink(nodes: Sequence[Node], rejected: Collection[Node], levels: dict[Node, int]) -> None:
    """Move what depends on one value at most into the part that first needs it.

    Otherwise everything computed from parameters alone, such as casts of weights, would be in the first
    part, and every later one would read its results from memory.
    """
    for node in reversed(nodes):
        users = [levels[u] for u in node.users if u in levels]
        single = not isinstance(node.meta.get("val"), (tuple, list)) and node.target is not operator.getitem
        if not users or not single or _has_effect(node):
            continue
        first = min(users)
        alike = first % 2 == (node not in rejected)
        if alike and sum(n in levels for n in node.all_input_nodes) <= 1:
            levels[node] = max(levels[node], first)


def halves(nodes: Sequence[Node]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Split nodes in the middle, keeping each multi-result node with its getitems."""
    middle = len(nodes) // 2
    first: list[Node] = []
    second: list[Node] = []
    chosen: dict[Node, list[Node]] = {}
    for index, node in enumerate(nodes):
        side = first if index < middle else second
        producer = node.args[0] if node.target is operator.getitem else None
        if isinstance(producer, Node) and producer in chosen:
            side = chosen[producer]
        chosen[node] = side
        side.append(node)
    return tuple(first), tuple(second)


def _has_effect(node: Node) -> bool:
    target = node.target
    if isinstance(target, torch._ops.HigherOrderOperator):
        return True
    if not isinstance(target, torch._ops.OpOverload):
        return False
    return torch.Tag.nondeterministic_seeded in target.tags or _changes_memory(node)


def _changes_memory(node: Node) -> bool:
    """Tell whether an op changes what others see: what gives no result does, whatever its schema says.

    `inductor::resize_storage_bytes_` gives a tensor's memory back, or takes it anew.
    """
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return False
    return target._schema.is_mutable or not target._schema.returns
