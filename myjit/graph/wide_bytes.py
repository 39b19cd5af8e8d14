"""Compute uint8 and int8 in int32: torch-mlir loses the sign of uint8 in many ops, and crashes on others.

Sums, divisions, comparisons with numbers, sorts and mixed arithmetic read 200 as -56 there. Products of
either type with numbers, remainders and matrix products end its process (remove int8 when `x * 3` and
`x @ x` compile without). What only moves bytes is right as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from myjit.frontend.nodes import MISCOMPILED, is_view, op_name, tensors, with_origin

aten = torch.ops.aten

#: Ops that move, convert or combine bits, and no numbers.
_MOVES = frozenset(
    (
        *(
            "_to_copy",
            "convert_element_type",
            "clone",
            "copy",
            "cat",
            "stack",
            "where",
            "index",
            "gather",
            "index_select",
        ),
        *("index_put", "scatter", "constant_pad_nd", "flip", "roll", "repeat", "full_like", "zeros_like"),
        *("ones_like", "empty_like", "embedding", "slice_scatter", "select_scatter", "masked_fill"),
        *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_not"),
    )
)

#: Those of them that first bring tensors of several types to one.
_PROMOTES = frozenset(("cat", "stack", "where", "bitwise_and", "bitwise_or", "bitwise_xor"))

#: Ops that take bytes and no wider integers, which they say too late (or log, as _int_mm does).
_BYTES_ALONE = frozenset(
    (
        aten._int_mm.default,
        aten._upsample_bicubic2d_aa.default,
        aten._upsample_bilinear2d_aa.default,
        aten.upsample_bicubic2d.default,
        aten.upsample_bilinear2d.default,
        aten.upsample_nearest1d.default,
        aten.upsample_nearest2d.default,
        aten.upsample_nearest3d.default,
        aten._upsample_nearest_exact1d.default,
        aten._upsample_nearest_exact2d.default,
        aten._upsample_nearest_exact3d.default,
    )
)


def run(gm: GraphModule) -> None:
    """Cast the bytes that every other op works on, and its result back."""
    for node in list(gm.graph.nodes):
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        if any(_is_byte(n) for n in node.all_input_nodes) and not _moves(node):
            _widen(gm, node)


def _moves(node: Node) -> bool:
    name = op_name(node).split(".")[1]
    return is_view(node) or (name in _MOVES and (name not in _PROMOTES or _is_of_one_type(node)))


def _is_of_one_type(node: Node) -> bool:
    chosen = [n for n in node.args[1:] if isinstance(n, Node)]  # where's condition is not
    inputs = chosen if op_name(node).startswith("aten.where.") else node.all_input_nodes
    return all(n.meta["val"].dtype == node.meta["val"].dtype for n in inputs)


def _is_byte(value: Any) -> bool:
    known = value.meta.get("val") if isinstance(value, Node) else None
    return isinstance(known, torch.Tensor) and known.dtype in (torch.uint8, torch.int8)


def _widen(gm: GraphModule, node: Node) -> None:
    result = node.meta.get("val")
    wide = _in_integers(node)
    if not isinstance(result, torch.Tensor) or wide is None:
        unsigned = any(
            t.dtype == torch.uint8 for n in node.all_input_nodes for t in tensors(n.meta.get("val"))
        )
        if unsigned and next(tensors(result), None) is not None:
            node.meta[MISCOMPILED] = "uint8 would lose its sign"
        return

    def widened(value: Node) -> Node:
        if not _is_byte(value):
            return value
        cast = gm.graph.call_function(aten._to_copy.default, (value,), {"dtype": torch.int32})
        return with_origin(cast, node, value.meta["val"].to(torch.int32))

    with gm.graph.inserting_before(node):
        node.args, node.kwargs = torch.fx.map_arg((node.args, node.kwargs), widened)
    node.meta["val"] = wide
    node.meta.pop("tensor_meta", None)
    if wide.dtype == result.dtype:
        return
    with gm.graph.inserting_after(node):
        back = gm.graph.call_function(aten._to_copy.default, (), {"dtype": result.dtype})
    node.replace_all_uses_with(back)
    back.args = (node,)
    with_origin(back, node, result)


def _in_integers(node: Node) -> Any:
    """Return what the op gives for int32 in place of bytes; None where it demands bytes or draws numbers.

    What somebody else's op says of other types than those it was given need not hold when it runs.
    """
    assert isinstance(node.target, torch._ops.OpOverload)
    if node.target.namespace not in ("aten", "prims") or node.target in _BYTES_ALONE:
        return None
    if torch.Tag.nondeterministic_seeded in node.target.tags:
        return None
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), _value_in_integers)
    try:
        return node.target(*args, **kwargs)
    except RuntimeError:  # an op of bytes alone
        return None


def _value_in_integers(node: Node) -> Any:
    value = node.meta["val"]
    return value.to(torch.int32) if _is_byte(node) else value
