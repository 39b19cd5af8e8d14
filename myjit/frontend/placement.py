"""Choose by cost which nodes are compiled, where a call of compiled code costs more than an op of torch."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import torch
from torch.fx import Node

from myjit.frontend.nodes import FASTER, hint, is_view, op_name, tensors
from myjit.frontend.partition import partition
from myjit.targets.base import Costs

#: Views whose result lies in memory in another order than their source: reading it is no longer free.
_REORDERING = frozenset(
    (
        *("aten.permute", "aten.transpose", "aten.t", "aten.as_strided", "aten.diagonal", "aten.unfold"),
        *("aten.view_as_real", "aten.view_as_complex", "aten.real", "aten.imag"),
    )
)


def place(nodes: Sequence[Node], rejected: Collection[Node], costs: Costs) -> None:
    """Mark, in their metadata, the nodes that are faster in torch than compiled.

    `nodes` are a graph's, as the user's program has them (not decomposed): one op of them is one of
    torch's. `rejected` are those that run in torch in any case.
    """
    slower = {n for n in nodes if n not in rejected and not _may_gain(n)}
    gained = 0.0
    for part in partition(nodes, {*rejected, *slower}):
        if part.compiled:
            gain = costs.gain * torch_time(part.nodes, costs) - compiled_time(part.nodes, costs)
            gained += max(gain, 0.0)
            slower.update(part.nodes if gain <= 0 else ())
    views = sum(is_view(n) for n in nodes if n in rejected or n in slower)
    if gained < views * (costs.beside_view - costs.torch_view):
        slower.update(n for n in nodes if n not in rejected)
    for node in slower:
        node.meta[FASTER] = True


def torch_time(nodes: Sequence[Node], costs: Costs) -> float:
    """Estimate the microseconds that torch takes, one op after the other."""
    total = 0.0
    for node in nodes:
        if is_view(node):
            total += costs.torch_view
            continue
        moved = _bytes([node, *node.all_input_nodes])
        total += max(costs.torch_op, moved / costs.torch_bandwidth)
    return total


def compiled_time(nodes: Sequence[Node], costs: Costs) -> float:
    """Estimate the microseconds of one call in which `nodes` are fused: its inputs and its results once."""
    inside = set(nodes)
    inputs = dict.fromkeys(i for n in nodes for i in n.all_input_nodes if i not in inside)
    outputs = [n for n in nodes if any(u not in inside for u in n.users)]
    return costs.call + _bytes([*inputs, *outputs]) / costs.bandwidth


def _may_gain(node: Node) -> bool:
    if is_view(node):
        return not any(op_name(node).startswith(f"{name}.") for name in _REORDERING)
    target = node.target
    return isinstance(target, torch._ops.OpOverload) and torch.Tag.pointwise in target.tags


def _bytes(nodes: Sequence[Node]) -> float:
    """Return how many bytes the values of `nodes` take, with the example's sizes."""
    total = 0.0
    for tensor in (t for n in nodes for t in tensors(n.meta.get("val"))):
        count = float(tensor.dtype.itemsize)
        for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
            count *= hint(size) if not isinstance(stride, int) or stride else 1  # stride 0 repeats
        total += count
    return total
