"""Group nodes into parts that run one after the other, compiled and torch in turn.

Every node gets a level: one more than its inputs' where the kind changes, the inputs' own where it
does not. Nodes of one level and kind form a part. A path that leaves a part comes back at a higher
level, so parts never depend on each other in a circle, and there are as few as the deepest
alternation needs. Linear in the graph's size.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch.fx import Node


@dataclass(frozen=True)
class Part:
    """Nodes, in graph order, that run together: compiled, or in torch."""

    compiled: bool
    nodes: tuple[Node, ...]


def partition(nodes: Sequence[Node], rejected: Collection[Node]) -> list[Part]:
    """Group `nodes` (in graph order) into parts in execution order.

    Nodes with effects keep their order among each other: random numbers must be drawn in the order
    of the program.
    """
    levels: dict[Node, int] = {}
    inside = set(nodes)
    last_effect: Node | None = None
    for node in nodes:
        compiled = node not in rejected
        level = 1 if compiled else 0
        before = [n for n in node.all_input_nodes if n in inside]
        if _has_effect(node):
            before += [last_effect] if last_effect is not None else []
            last_effect = node
        for other in before:
            changes = compiled != (other not in rejected)
            level = max(level, levels[other] + changes)
        levels[node] = level
    groups: dict[int, list[Node]] = {}
    for node in nodes:
        groups.setdefault(levels[node], []).append(node)
    return [Part(bool(level % 2), tuple(groups[level])) for level in sorted(groups)]


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
    return torch.Tag.nondeterministic_seeded in target.tags or target._schema.is_mutable
