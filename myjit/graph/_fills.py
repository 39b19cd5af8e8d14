"""Ops that fill a tensor of any shape with one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

aten = torch.ops.aten

#: Such ops, and which of their arguments the number is.
_FILLS: dict[Any, Callable[..., Any]] = {
    aten.full.default: lambda shape, number: number,
    aten.full_like.default: lambda like, number: number,
    aten.new_full.default: lambda like, shape, number: number,
    aten.zeros.default: lambda shape: 0,
    aten.zeros_like.default: lambda like: 0,
    aten.new_zeros.default: lambda like, shape: 0,
    aten.ones.default: lambda shape: 1,
    aten.ones_like.default: lambda like: 1,
    aten.new_ones.default: lambda like, shape: 1,
}


def is_fill(node: Node) -> bool:
    """Tell whether a node fills a tensor with one number."""
    return node.op == "call_function" and node.target in _FILLS


def filled_with(node: Node) -> Any:
    """Return the number that a node fills its tensor with: a node where it is computed."""
    return _FILLS[node.target](*node.args)
