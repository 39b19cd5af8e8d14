"""Check the divisors of whole numbers: dividing by zero ends the process, and -1 does for the least number.

Torch raises an error where any divisor is zero. Here each gets another in its place, and the caller runs the
part again in torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.fx import Node

aten = torch.ops.aten

_REMAINDERS = (aten.remainder.Tensor, aten.remainder.Scalar_Tensor, aten.fmod.Tensor)
_QUOTIENTS = (aten.div.Tensor_mode, aten.floor_divide.default)


def check_divisor(write: Callable[..., Node], node: Node) -> Iterator[Node]:
    """Replace a node's divisors that trap; yield the node that tells whether one was zero."""
    if node.target not in (*_REMAINDERS, *_QUOTIENTS) or not divides_whole_numbers(node):
        return
    dividend, divisor, *rest = node.args
    if not isinstance(divisor, Node):
        return
    zero, minus = write(aten.eq.Scalar, divisor, 0), write(aten.eq.Scalar, divisor, -1)
    if node.target in _QUOTIENTS:
        dividend = _negated(write, dividend, minus, node.meta["val"].dtype)
    traps = write(aten.logical_or.default, zero, minus)
    node.args = (dividend, write(aten.where.ScalarSelf, traps, 1, divisor), *rest)
    yield write(aten.any.default, zero)


def divides_whole_numbers(node: Node) -> bool:
    """Tell whether a node is a division whose result is a whole number."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.is_floating_point() or value.dtype is torch.bool:
        return False
    packet = getattr(node.target, "overloadpacket", None)
    return packet in (aten.remainder, aten.fmod, aten.div, aten.floor_divide)


def _negated(write: Callable[..., Node], dividend: Any, minus: Node, dtype: torch.dtype) -> Node:
    """Return what, divided by one, gives the quotient by minus one."""
    if not isinstance(dividend, Node):
        number = write(aten.where.Scalar, minus, -dividend, dividend)
        return write(torch.ops.prims.convert_element_type.default, number, dtype)
    if dividend.meta["val"].dtype != dtype:
        dividend = write(torch.ops.prims.convert_element_type.default, dividend, dtype)
    return write(aten.where.self, minus, write(aten.rsub.Scalar, dividend, 0), dividend)
