"""Add up truth values and small integers in int32, where their sum is sure to fit.

Torch adds all integers up in int64: half as many in a vector, and IREE's code generator for CUDA refuses
sums of 64 bits whose numbers have fewer.
"""

from __future__ import annotations

from math import prod
from typing import Any

import torch
import torch._prims  # registers prims.convert_element_type
from torch.fx import GraphModule, Node

from myjit.graph._in_type import compute_in

aten = torch.ops.aten

_SUMS = (aten.sum.default, aten.sum.dim_IntList)
_CASTS = (aten._to_copy.default, torch.ops.prims.convert_element_type.default)
#: How far from zero the numbers of a type are at most.
_MOST = {torch.bool: 1, torch.uint8: 2**8, torch.int8: 2**7, torch.int16: 2**15}


def run(gm: GraphModule) -> None:
    """Rewrite sums of narrow integers, cast to int64 before or by the sum itself, of sizes that are known."""
    for target in _SUMS:
        for node in list(gm.graph.find_nodes(op="call_function", target=target)):
            source = _narrow_source(node)
            if node.meta["val"].dtype is torch.int64 and _fits(node, source.meta["val"]):
                compute_in(gm, node, source, torch.int32)
                node.kwargs = {**node.kwargs, "dtype": torch.int32}  # by itself a sum of int32 is int64


def _narrow_source(node: Node) -> Node:
    """Return what a sum adds up, as it was before it was cast to a wider integer."""
    source: Any = node.args[0]
    if source.target in _CASTS and source.meta["val"].dtype in (torch.int32, torch.int64):
        before = source.args[0]
        if before.meta["val"].dtype in _MOST:
            return before
    return source


def _fits(node: Node, value: torch.Tensor) -> bool:
    most = _MOST.get(value.dtype)
    sizes = (*value.shape, *node.meta["val"].shape)
    if most is None or not all(isinstance(size, int) for size in sizes):
        return False
    results = prod(node.meta["val"].shape)
    return results > 0 and value.numel() // results * most < 2**31
