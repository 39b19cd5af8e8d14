"""Add up the half types in float32, as torch's kernels do: in their own few bits a long sum stands still.

Sums of truth values tell whether any is true; in one bit, two true ones would make none.

Running sums and products are computed one number after the other: torch's kernels for the CPU do that in
float64, and so is it done here for float32, where there are more than a few.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import FASTER
from myjit.graph._in_type import compute_in

aten = torch.ops.aten

_SUMS = (
    aten.sum.default,
    aten.sum.dim_IntList,
    aten.mean.default,
    aten.mean.dim,
    aten.prod.default,
    aten.prod.dim_int,
    aten.cumsum.default,
    aten.cumprod.default,
    aten.linalg_vector_norm.default,
    aten.avg_pool1d.default,
    aten.avg_pool2d.default,
    aten.avg_pool3d.default,
    aten._adaptive_avg_pool2d.default,
    aten._adaptive_avg_pool3d.default,
    aten.adaptive_avg_pool1d.default,
)
_RUNNING = (aten.cumsum.default, aten.cumprod.default)
_WIDE = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.bool: torch.int64}
#: The longest row whose running sums are taken in float32.
_FEW = 64


def run(gm: GraphModule) -> None:
    """Cast the operand of every such op to the wider type, and its result back."""
    for target in _SUMS:
        for node in list(gm.graph.find_nodes(op="call_function", target=target)):
            if FASTER in node.meta:
                continue  # torch takes care
            dtype = node.meta["val"].dtype
            if dtype in _WIDE:
                _widen(gm, node, _WIDE[dtype])
            elif dtype is torch.float32 and target in _RUNNING and _is_long(node):
                _widen(gm, node, torch.float64)


def _is_long(node: Node) -> bool:
    """Tell whether a running sum has more than a few numbers, or may have."""
    value: Any = node.meta["val"]
    dim: Any = node.args[1]
    return value.dim() > 0 and not (isinstance(value.shape[dim], int) and value.shape[dim] <= _FEW)


def _widen(gm: GraphModule, node: Node, wide: torch.dtype) -> None:
    source: Any = node.args[0]
    through = (torch.bool, wide) if node.meta["val"].dtype is torch.bool else (wide,)
    compute_in(gm, node, source, *through)
