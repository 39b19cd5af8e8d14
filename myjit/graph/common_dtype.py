"""Bring numbers and 0-d tensors to the type that an elementwise op computes in, as torch does.

A number has no part in choosing that type: `x == 255` on int8 asks for -1, `x // 300` on uint8 divides by 44,
`x == 0.1` on float16 asks for 0.09998. torch-mlir compares and divides by the number as it was written.
"""

from __future__ import annotations

from typing import Any

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes, is_integer_dtype
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import with_origin

aten = torch.ops.aten

_OPERANDS = ("Tensor", "number", "Optional[Tensor]", "Optional[number]")

#: Arguments that are numbers but not operands.
_PARAMETERS = ("alpha", "value")


def run(gm: GraphModule) -> None:
    """Rewrite the operands of every elementwise op on integers, and of every comparison."""
    for node in list(gm.graph.nodes):
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        if torch.Tag.pointwise not in node.target.tags or len(node.args) < 2:
            continue
        dtype = _common_dtype(node)
        if dtype is not None:
            node.args = tuple(
                _converted(gm, node, arg, dtype) if _is_operand(node, place) else arg
                for place, arg in enumerate(node.args)
            )


def _is_operand(node: Node, place: int) -> bool:
    assert isinstance(node.target, torch._ops.OpOverload)
    argument = node.target._schema.arguments[place]
    return str(argument.type) in _OPERANDS and argument.name not in _PARAMETERS


def _common_dtype(node: Node) -> torch.dtype | None:
    result = node.meta.get("val")
    if not isinstance(result, torch.Tensor) or result.is_floating_point() or result.is_complex():
        return None
    values = [_value(a) for place, a in enumerate(node.args) if _is_operand(node, place)]
    operands = [v for v in values if isinstance(v, (torch.Tensor, int, float, complex))]
    if not any(isinstance(v, torch.Tensor) for v in operands):
        return None
    dtype = elementwise_dtypes(*operands, type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT)[1]
    return dtype if is_integer_dtype(dtype) or dtype.is_floating_point else None


def _value(arg: Any) -> Any:
    return arg.meta.get("val") if isinstance(arg, Node) else arg


def _converted(gm: GraphModule, node: Node, arg: Any, dtype: torch.dtype) -> Any:
    value = _value(arg)
    if dtype.is_floating_point and isinstance(arg, (int, float)) and not isinstance(arg, bool):
        return _rounded(arg, dtype)
    if isinstance(arg, int) and not isinstance(arg, bool):
        return _wrapped(arg, dtype)
    if not isinstance(value, torch.Tensor) or value.dim() > 0 or not _loses_bits(value.dtype, dtype):
        return arg
    with gm.graph.inserting_before(node):
        cast = gm.graph.call_function(aten._to_copy.default, (arg,), {"dtype": dtype})
    return with_origin(cast, node, value.to(dtype))


def _loses_bits(source: torch.dtype, dtype: torch.dtype) -> bool:
    if dtype.is_floating_point:
        return source.is_floating_point and torch.finfo(source).eps < torch.finfo(dtype).eps
    if source == torch.bool or not is_integer_dtype(source):
        return False
    known, wanted = torch.iinfo(source), torch.iinfo(dtype)
    return known.min < wanted.min or known.max > wanted.max


def _wrapped(number: int, dtype: torch.dtype) -> int:
    limits = torch.iinfo(dtype)
    return (number - limits.min) % (1 << limits.bits) + limits.min


def _rounded(number: float, dtype: torch.dtype) -> float:
    return torch.tensor(number, dtype=dtype, device="cpu").item()
