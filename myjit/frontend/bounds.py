"""Check indices in compiled code: out of range, it would read and write other memory.

Each indexing op of a part gets its index clamped into range, and the part gets one more result: whether
any index had to be. The caller then runs the part again in eager, which raises torch's own error.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from myjit.frontend.divisors import check_divisor
from myjit.frontend.extract import Extract
from myjit.frontend.long_loops import check_loops
from myjit.frontend.merged_places import merge_places
from myjit.frontend.nodes import MASKS, mode_of, with_origin

aten = torch.ops.aten

#: Ops that take (tensor, dimension, index, ...), none of whose indices may be negative.
_ALONG_DIMENSION = frozenset(
    (
        aten.index_select.default,
        aten.gather.default,
        aten.scatter.src,
        aten.scatter.value,
        aten.scatter.reduce,
        aten.scatter.value_reduce,
        aten.scatter_add.default,
        aten.scatter_reduce.two,
        aten.index_add.default,
        aten.index_copy.default,
        aten.index_fill.int_Scalar,
        aten.index_fill.int_Tensor,
    )
)

#: Ops that take (tensor, one index or None per leading dimension, ...); -n to n - 1 is in range.
_BY_LIST = frozenset((aten.index.Tensor, aten.index_put.default))


def checked(part: Extract, longest_loop: int = 0) -> Extract:
    """Copy a part with its indices and divisors checked, and loops where they may be too long.

    Where there are any, the copy has one more output, the last: true when an index was out of range, a
    divisor zero, or a loop longer than `longest_loop` (0 for any length).
    """
    graph = Graph(owning_module=part.module)
    copies: dict[Node, Node] = {}
    found: list[Node] = []
    for node in part.module.graph.nodes:
        if node.op == "output":
            break
        copies[node] = graph.node_copy(node, copies.__getitem__)
        copies[node].meta = copy.copy(node.meta)
        if node.op == "call_function":
            with graph.inserting_before(copies[node]):
                write = _Writer(graph, copies[node])
                found += _check(write, copies[node])
                merge_places(write, copies[node])
                found += check_divisor(write, copies[node])
                if longest_loop:
                    found += check_loops(write, copies[node], longest_loop)
    if not found:
        return part
    (output,) = part.module.graph.find_nodes(op="output")
    write = _Writer(graph, found[-1])
    guard = reduce(lambda a, b: write(aten.logical_or.default, a, b), found)
    graph.output((*(copies[n] for n in output.args[0]), guard))
    graph.lint()
    return Extract(GraphModule(part.module, graph), part.inputs, (*part.outputs, guard))


class _Writer:
    """Adds calls to a graph with the values they have, and the origin of the node they guard."""

    def __init__(self, graph: Graph, origin: Node) -> None:
        self._graph = graph
        self._origin = origin

    def __call__(self, op: Callable[..., Any], *args: Any) -> Node:
        node = self._graph.call_function(op, args)
        values = torch.fx.map_arg(args, lambda n: n.meta["val"])
        with mode_of(values):
            return with_origin(node, self._origin, op(*values))


def _check(write: _Writer, node: Node) -> Iterator[Node]:
    """Clamp the indices of a node; yield, for each, the node that tells whether it was out of range."""
    for position, entry, index, tensor, dim, lowest in _indices(node):
        value = tensor.meta["val"]
        size = value.shape[dim] if value.dim() else 1
        if isinstance(size, torch.SymInt):
            size = write(aten.sym_size.int, tensor, dim)
            last = write(operator.sub, size, 1)
            first = write(operator.neg, size) if lowest < 0 else 0
        else:
            last, first = size - 1, -size if lowest < 0 else 0
        low, high = write(aten.lt.Scalar, index, first), write(aten.gt.Scalar, index, last)
        outside = write(aten.logical_or.default, low, high)
        if lowest < 0:  # count from the end here: not every lowering does
            wrapped = write(aten.add.Scalar, index, size)
            positive = write(aten.where.self, write(aten.lt.Scalar, index, 0), wrapped, index)
        else:
            positive = index
        node.args = _replaced(node.args, position, entry, write(aten.clamp.default, positive, 0, last))
        yield write(aten.any.default, outside)


def _indices(node: Node) -> Iterator[tuple[int, int | None, Any, Any, Any, int]]:
    """Yield argument, place in its list, index, indexed tensor, dimension, sign of the lowest index."""
    args: Any = node.args
    if node.target is aten.embedding.default:
        yield 1, None, args[1], args[0], 0, 0
    elif node.target in _ALONG_DIMENSION:
        yield 2, None, args[2], args[0], args[1], 0
    elif node.target in _BY_LIST:
        for dim, index in enumerate(args[1]):
            if index is not None and index.meta["val"].dtype not in MASKS:
                yield 1, dim, index, args[0], dim, -1


def _replaced(args: Sequence[Any], position: int, entry: int | None, new: Node) -> tuple[Any, ...]:
    changed = list(args)
    if entry is None:
        changed[position] = new
    else:
        inner = list(changed[position])
        inner[entry] = new
        changed[position] = inner
    return tuple(changed)
