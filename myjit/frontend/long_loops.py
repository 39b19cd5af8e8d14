"""Check the lengths of loops that depend on sizes, for devices that end long loops before their time.

What does not depend on sizes is refused when it is compiled (`refuse-long-loops`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.fx import Node

aten = torch.ops.aten

#: Ops that add up products along a dimension, and the operand that has it as its last.
_PRODUCTS = {
    aten.mm.default: 0,
    aten.bmm.default: 0,
    aten.mv.default: 0,
    aten.dot.default: 0,
    aten.addmm.default: 1,
    aten.baddbmm.default: 1,
}
#: Ops with a dimension that they do not go along one element after the other.
_SIDE_BY_SIDE = (aten.cat, aten.gather, aten.index_select, aten.flip, aten.roll, aten.stack)
#: Ops that write one element after the other, and the operands whose elements these are.
_WRITES = {
    aten.index_put: (2,),
    aten.index_add: (3,),
    aten.index_copy: (3,),
    aten.scatter: (2, 3),
    aten.scatter_add: (3,),
    aten.scatter_reduce: (3,),
}
_RUNNING = (aten.cumsum, aten.cumprod)


def check_loops(write: Callable[..., Node], node: Node, most: int) -> Iterator[Node]:
    """Yield, for each loop of a node that depends on sizes, the node that tells whether it is too long."""
    for tensor, dims in _loops(node):
        sizes = [tensor.meta["val"].shape[dim] for dim in dims]
        unknown = [dim for dim, size in zip(dims, sizes, strict=True) if not isinstance(size, int)]
        if unknown:
            known = math.prod(size for size in sizes if isinstance(size, int))
            length: Any = known
            for dim in unknown:
                length = write(operator.mul, length, write(aten.sym_size.int, tensor, dim))
            yield write(aten.gt.Scalar, write(aten.scalar_tensor.default, length), most)


def _loops(node: Node) -> Iterator[tuple[Node, Sequence[int]]]:
    """Yield what a node reduces, or goes along one element after the other: a tensor and its dimensions."""
    target: Any = node.target
    packet = getattr(target, "overloadpacket", None)
    args: Any = node.args
    tensors = [each for each in args if isinstance(each, Node) and _is_tensor(each)]
    if not tensors or not _is_tensor(node):
        return
    if target in _PRODUCTS:
        factor = args[_PRODUCTS[target]]
        yield factor, [factor.meta["val"].dim() - 1]
    elif packet is aten.convolution:
        transposed = bool(args[6])
        yield args[1], [dim for dim in range(args[1].meta["val"].dim()) if dim != int(transposed)]
    elif packet in _WRITES:
        for place in _WRITES[packet]:
            if place < len(args) and isinstance(args[place], Node):
                yield args[place], range(args[place].meta["val"].dim())
    elif packet in _RUNNING:
        yield tensors[0], range(tensors[0].meta["val"].dim())
    elif _goes_along(node) and packet not in _SIDE_BY_SIDE:
        yield tensors[0], _dims(node, tensors[0].meta["val"].dim())


def _is_tensor(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value[0] if isinstance(value, (tuple, list)) and value else value, torch.Tensor)


def _goes_along(node: Node) -> bool:
    """Tell whether an op that is no view and no pointwise one reduces."""
    target: Any = node.target
    if not isinstance(target, torch._ops.OpOverload) or torch.Tag.pointwise in target.tags:
        return False
    if any(result.alias_info for result in target._schema.returns):
        return False
    source, result = node.args[0], node.meta["val"]
    result = result[0] if isinstance(result, (tuple, list)) else result
    names = {argument.name for argument in target._schema.arguments}
    shrinks = isinstance(source, Node) and _is_tensor(source) and result.dim() < source.meta["val"].dim()
    return "dim" in names or shrinks


def _dims(node: Node, rank: int) -> Sequence[int]:
    """Return the dimensions that an op names, or all."""
    target: Any = node.target
    place = next((i for i, a in enumerate(target._schema.arguments) if a.name == "dim"), -1)
    given: Any = node.args[place] if 0 <= place < len(node.args) else node.kwargs.get("dim")
    if given is None or given == [] or rank == 0:
        return range(rank)
    return [dim % rank for dim in (given if isinstance(given, (list, tuple)) else [given])]
