"""Fold chains of scalar arithmetic, only where every bit of every result stays the same.

`x * 2 * 3` becomes `x * 6` because doubling a float is exact, and overflows only where the product does;
`x * 0.1 * 3` stays. Integers wrap around, so their sums and products fold in any order. `x + 0` is the
identity on integers only: `-0.0 + 0` is `+0.0`.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import GraphModule, Node

aten = torch.ops.aten

_ADD, _SUB, _MUL, _DIV = aten.add.Tensor, aten.sub.Tensor, aten.mul.Tensor, aten.div.Tensor
_TARGETS = (_ADD, _SUB, _MUL, _DIV)


def run(gm: GraphModule) -> None:
    """Fold in place, first to last, so that a chain of any length ends as one operation."""
    for node in list(gm.graph.nodes):
        if _is_scalar_step(node):
            _fold_into_input(node)
    for node in list(gm.graph.nodes):
        if _is_scalar_step(node) and _is_identity(node) and _may_alias_input(node):
            node.replace_all_uses_with(node.args[0])
    for node in reversed(list(gm.graph.nodes)):
        if node.target in _TARGETS and not node.users:
            gm.graph.erase_node(node)


def _is_scalar_step(node: Node) -> bool:
    """Tell whether a node is `tensor op number`, of one element type, with no `alpha`."""
    if node.op != "call_function" or node.target not in _TARGETS or node.kwargs or len(node.args) != 2:
        return False
    source, number = node.args
    if not isinstance(source, Node) or not isinstance(number, (int, float)):
        return False
    before, after = source.meta.get("val"), node.meta.get("val")
    return (
        isinstance(before, torch.Tensor)
        and isinstance(after, torch.Tensor)
        and before.dtype == after.dtype
        and not before.dtype.is_complex
        and before.dtype != torch.bool
    )


def _fold_into_input(node: Node) -> None:
    """Turn `(x op a) op b` into `x op c`; the inner node goes when nothing else uses it."""
    inner = node.args[0]
    if not isinstance(inner, Node) or inner.target != node.target or not _is_scalar_step(inner):
        return
    number = _combined(node.target, inner.args[1], node.args[1], node.meta["val"].dtype)
    if number is not None:
        node.args = (inner.args[0], number)


def _combined(target: Any, first: Any, second: Any, dtype: torch.dtype) -> int | float | None:
    """Return the number that does the work of both; None where a bit might differ."""
    if dtype.is_floating_point:
        exact = target == _MUL and _is_large_power_of_two(first) and abs(second) >= 1
        number = float(first) * float(second) if exact else math.inf
        return number if abs(number) <= torch.finfo(dtype).max else None
    if isinstance(first, float) or isinstance(second, float):
        return None
    if target in (_ADD, _SUB):
        number = int(first) + int(second)
    elif target == _MUL:
        number = int(first) * int(second)
    else:
        return None
    limits = torch.iinfo(dtype)
    return number if limits.min <= number <= limits.max else None


def _is_large_power_of_two(number: int | float) -> bool:
    """Tell whether multiplying by `number` is exact, unless it overflows."""
    value = float(number)
    return math.isfinite(value) and abs(math.frexp(value)[0]) == 0.5 and abs(value) >= 1


def _is_identity(node: Node) -> bool:
    number: Any = node.args[1]
    if node.target == _MUL:
        return number == 1
    if node.target == _DIV:
        return number == 1 and node.meta["val"].dtype.is_floating_point
    if number != 0:
        return False
    if not node.meta["val"].dtype.is_floating_point:
        return True
    negative = math.copysign(1.0, float(number)) < 0
    return negative if node.target == _ADD else not negative


def _may_alias_input(node: Node) -> bool:
    """Tell whether the input may stand for the node.

    Not where the node, or a view of it, is a result of the graph: results must not share memory that
    the program did not share.
    """
    before, after = node.args[0].meta["val"], node.meta["val"]  # type: ignore[union-attr]
    return before.stride() == after.stride() and all(_makes_new_memory(user) for user in node.users)


def _makes_new_memory(user: Node) -> bool:
    if not isinstance(user.target, torch._ops.OpOverload):
        return False
    schema = user.target._schema
    return not schema.is_mutable and not any(r.alias_info for r in schema.returns)
