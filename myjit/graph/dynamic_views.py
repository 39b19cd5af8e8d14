"""Write views with dynamic sizes as flatten and unflatten, which say which dimensions they join and split.

torch-mlir guesses that from a view's sizes, and guesses wrong when two of them are dynamic: the result
has the wrong values or the wrong size (llvm/torch-mlir#4743; remove this pass when that is closed). Here
it follows from the symbolic sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy
import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import MISCOMPILED, is_empty, with_origin
from myjit.graph._sizes import SizeNodes

aten = torch.ops.aten

_VIEWS = (aten.view.default, aten._unsafe_view.default, aten.reshape.default)


@dataclass(frozen=True)
class Group:
    """Neighbouring dimensions of the input that become neighbouring dimensions of the output."""

    inputs: range
    outputs: range


def run(gm: GraphModule) -> None:
    """Rewrite every view with a dynamic size, before or after it."""
    sizes = SizeNodes(gm)
    for target in _VIEWS:
        for node in gm.graph.find_nodes(op="call_function", target=target):
            source, result = node.args[0].meta["val"], node.meta["val"]
            is_dynamic = any(isinstance(size, torch.SymInt) for size in (*source.shape, *result.shape))
            if is_dynamic and not is_empty(source):  # of no elements, all products are 0
                _rewrite(gm, node, sizes)


def groups(before: Sequence[Any], after: Sequence[Any]) -> list[Group]:
    """Match the dimensions of a view: the smallest groups whose sizes have the same product.

    Sizes are integers or SymInts, at least one on each side. Products count as equal only where they
    are the same expression, so the groups hold for every value of the symbols; at worst all dimensions
    form one group.
    """
    left, right = _products(before), _products(after)
    ends: list[tuple[int, int]] = []
    for i, product in enumerate(left):
        start = ends[-1][1] if ends else 0
        same = (j for j in range(start, len(right)) if sympy.expand(product - right[j]) == 0)
        j = next(same, None)
        if j is not None:
            ends.append((i + 1, j + 1))
    ends = [*ends[:-1], (len(left), len(right))]  # what is left over has the size one
    starts = [(0, 0), *ends[:-1]]
    return [Group(range(s[0], e[0]), range(s[1], e[1])) for s, e in zip(starts, ends, strict=True)]


def _products(sizes: Sequence[Any]) -> list[sympy.Expr]:
    product = sympy.Integer(1)
    found = []
    for size in sizes:
        product = product * (size.node.expr if isinstance(size, torch.SymInt) else size)
        found.append(product)
    return found


def _rewrite(gm: GraphModule, view: Node, sizes: SizeNodes) -> None:
    source = view.args[0]
    assert isinstance(source, Node)
    before, after = source.meta["val"].shape, view.meta["val"].shape
    if not before or not after:
        view.meta[MISCOMPILED] = "a view with dynamic sizes: of one element, without dimensions on one side"
        return
    matched = groups(before, after)
    split = [d for g in matched if len(g.outputs) > 1 for d in g.outputs]
    try:
        asked = {d: _argument(view, d, after[d], sizes) for d in split}
    except LookupError as error:
        view.meta[MISCOMPILED] = f"a view with dynamic sizes: {error.args[0]}"
        return
    with gm.graph.inserting_before(view):
        node = source
        for group in reversed(matched):
            if len(group.inputs) > 1:
                node = _flatten(gm, node, group.inputs, view)
        for position, group in reversed(list(enumerate(matched))):
            if len(group.outputs) > 1:
                arguments = [asked[d] for d in group.outputs]
                node = _unflatten(gm, node, position, arguments, [after[d] for d in group.outputs], view)
    if node is not source:
        node.meta["val"] = view.meta["val"]  # a view of permuted dimensions lies in memory as they do
    view.replace_all_uses_with(node)
    gm.graph.erase_node(view)


def _argument(view: Node, dim: int, size: Any, sizes: SizeNodes) -> Any:
    """Return one of the view's sizes as an argument: the given one, unless that is -1."""
    given = view.args[1][dim]  # type: ignore[index]
    return given if isinstance(given, Node) else sizes.argument(size)


def _flatten(gm: GraphModule, node: Node, dims: range, view: Node) -> Node:
    shape = node.meta["val"].shape
    size = math.prod(shape[d] for d in dims)
    result = gm.graph.call_function(aten.flatten.using_ints, (node, dims.start, dims.stop - 1))
    return _described(result, view, (*shape[: dims.start], size, *shape[dims.stop :]))


def _unflatten(  # noqa: PLR0917
    gm: GraphModule, node: Node, dim: int, sizes: list[Any], values: list[Any], view: Node
) -> Node:
    """Split a dimension into `sizes`, none of which is -1: torch-mlir's code for that is wrong."""
    shape = node.meta["val"].shape
    result = gm.graph.call_function(aten.unflatten.int, (node, dim, sizes))
    return _described(result, view, (*shape[:dim], *values, *shape[dim + 1 :]))


def _described(node: Node, view: Node, shape: Sequence[Any]) -> Node:
    """Give a new node the view's origin and a value of the given shape."""
    model = view.meta["val"]
    with model.fake_mode:
        return with_origin(node, view, torch.empty(shape, dtype=model.dtype, device=model.device))
