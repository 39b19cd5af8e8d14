"""Find scans, scatters and samplings of many numbers, which torch runs faster than compiled code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import hint

aten = torch.ops.aten

_SCANS = (aten.cumsum.default, aten.cumprod.default)
#: Whose numbers count, by place among the operands (none: the result's), where it is not the third.
_COUNTED: dict[Any, int | None] = {
    **dict.fromkeys(_SCANS, 0),
    aten.index_add.default: 3,
    aten.grid_sampler_2d.default: None,
}
#: Microseconds that an op has to save: what is compiled is cut there.
_LEAST = 100.0


def slow_series(gm: GraphModule, gains: Mapping[str, float]) -> frozenset[Node]:
    """Return the ops to leave to torch, by the nanoseconds that it saves on each number, by the op's name.

    Scans count along the last dimension only: along others, vectors take many of them at once.
    """
    nodes = (node for node in gm.graph.nodes if str(node.target) in gains)
    return frozenset(node for node in nodes if _numbers(node) * gains[str(node.target)] > 1000 * _LEAST)


def _numbers(node: Node) -> int:
    place = _COUNTED.get(node.target, 2)
    counted = node if place is None else node.args[place]
    assert isinstance(counted, Node)
    value = counted.meta["val"]
    if node.target in _SCANS:
        dim = node.args[1]
        assert isinstance(dim, int)
        if not value.is_floating_point() or value.dim() == 0 or dim % value.dim() != value.dim() - 1:
            return 0
    return math.prod(hint(size) for size in value.shape)
