"""Shift by any amount as torch does: by none of the bits that there are, LLVM gives anything.

Torch shifts everything out where the amount is negative or too large: a left shift leaves 0, a right one
the sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import MISCOMPILED, with_origin

aten = torch.ops.aten

_LEFT = (aten.__lshift__, aten.bitwise_left_shift)
_RIGHT = (aten.__rshift__, aten.bitwise_right_shift)


def run(gm: GraphModule) -> None:
    """Rewrite the shifts of integers whose amounts are tensors, or numbers out of range."""
    for build, packets in ((_left, _LEFT), (_right, _RIGHT)):
        for target in (getattr(packet, name) for packet in packets for name in packet.overloads()):
            for node in gm.graph.find_nodes(op="call_function", target=target):
                _rewrite(gm, node, build)


def _rewrite(gm: GraphModule, node: Node, build: Callable[..., Node]) -> None:
    result, (x, amount) = node.meta["val"], node.args
    if result.is_floating_point() or len(node.args) != 2:
        return
    if any(not isinstance(n.meta["val"], torch.Tensor) for n in node.all_input_nodes):
        node.meta[MISCOMPILED] = "a shift by a size, which may be too large"
        return
    bits = torch.iinfo(result.dtype).bits
    if isinstance(amount, int) and 0 <= amount < bits and isinstance(x, Node):
        return

    def call(target: Any, *args: Any, **kwargs: Any) -> Node:
        new = gm.graph.call_function(target, args, kwargs)
        values = torch.fx.map_arg((args, kwargs), lambda n: n.meta["val"])
        return with_origin(new, node, target(*values[0], **values[1]))

    with gm.graph.inserting_before(node):
        operands = [_tensor(call, value, node) for value in (x, amount)]
        node.replace_all_uses_with(build(call, *operands, bits))
    gm.graph.erase_node(node)


def _tensor(call: Callable[..., Node], value: Any, node: Node) -> Node:
    dtype = node.meta["val"].dtype
    if not isinstance(value, Node):
        return call(aten.full_like.default, node.all_input_nodes[0], value, dtype=dtype)
    if value.meta["val"].dtype == dtype:
        return value
    return call(aten._to_copy.default, value, dtype=dtype)


def _left(call: Callable[..., Node], x: Node, amount: Node, bits: int) -> Node:
    shifted = call(aten.bitwise_left_shift.Tensor, x, call(aten.clamp.default, amount, 0, bits - 1))
    return call(
        aten.where.self, _in_range(call, amount, bits), shifted, call(aten.zeros_like.default, shifted)
    )


def _right(call: Callable[..., Node], x: Node, amount: Node, bits: int) -> Node:
    if x.meta["val"].dtype.is_signed:
        last = call(aten.full_like.default, amount, bits - 1)
        amount = call(aten.where.self, _in_range(call, amount, bits), amount, last)
        return call(aten.bitwise_right_shift.Tensor, x, amount)
    shifted = call(aten.bitwise_right_shift.Tensor, x, call(aten.clamp.default, amount, 0, bits - 1))
    return call(
        aten.where.self, _in_range(call, amount, bits), shifted, call(aten.zeros_like.default, shifted)
    )


def _in_range(call: Callable[..., Node], amount: Node, bits: int) -> Node:
    positive = call(aten.ge.Scalar, amount, 0)
    return call(aten.logical_and.default, positive, call(aten.lt.Scalar, amount, bits))
