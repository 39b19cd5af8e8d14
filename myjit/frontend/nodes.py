"""Questions about single FX nodes: what they produce, where the user wrote them."""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch._guards import detect_fake_mode
from torch.fx import Node

from myjit.artifact import PARAMETER_DTYPES

#: The key of a node's metadata under which a graph pass says why the compiler would get it wrong.
MISCOMPILED = "myjit_miscompiled"

#: The key under which stands that torch runs the node faster.
FASTER = "myjit_faster_in_torch"

#: The key under which stands that the node is compiled, whatever its kind gains in torch.
COMPILED = "myjit_compiled"

#: The types of indices that are masks: their elements are no places.
MASKS = (torch.bool, torch.uint8)

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)

#: Ops that only look at memory differently, beside those whose schema says so: a partition of nothing else is
#: not worth a call.
_VIEWS = frozenset(
    (
        *("view", "_unsafe_view", "reshape", "permute", "transpose", "t", "squeeze", "unsqueeze"),
        *("expand", "slice", "select", "alias", "detach", "split", "split_with_sizes", "unbind"),
        *("as_strided", "diagonal", "unfold", "lift_fresh", "lift_fresh_copy"),
        *("view_as_real", "view_as_complex", "real", "imag"),
    )
)


def is_symbolic_scalar(node: Node) -> bool:
    """Whether the node's value is a size or a number computed from sizes."""
    return isinstance(node.meta.get("val"), _SYMBOLIC)


def is_view(node: Node) -> bool:
    """Whether the node computes nothing."""
    if node.target is operator.getitem:
        return True
    if not isinstance(node.target, torch._ops.OpOverload):
        return False
    returned = [r.alias_info for r in node.target._schema.returns]
    if returned and all(alias is not None and not alias.is_write for alias in returned):
        return True
    return node.target.namespace == "aten" and node.target.overloadpacket.__name__ in _VIEWS


def op_name(node: Node) -> str:
    """Return the op's name as users write it, such as `aten.mm.default`."""
    target = node.target
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    return getattr(target, "__name__", str(target))


def is_named(node: Node, ops: Collection[str]) -> bool:
    """Tell whether a node's op is listed, with its overload or without."""
    return is_listed(op_name(node), ops)


def is_listed(name: str, ops: Collection[str]) -> bool:
    """Tell whether an op's name is listed, with its overload or without."""
    return any(name == op or name.startswith(f"{op}.") for op in ops)


def source_line(node: Node) -> str:
    """Return `file:line` of the user's code that made the node, empty when unknown.

    The innermost frame outside torch is the user's; library code counts as the user's.
    """
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    mine = [(f, n) for f, n in frames if "/torch/" not in f]
    chosen = mine or frames
    return f"{chosen[-1][0]}:{chosen[-1][1]}" if chosen else ""


def with_origin(new: Node, origin: Node, value: Any) -> Node:
    """Give a new node its value, and the rest (source line, stack) of the node that it stands for."""
    new.meta = {k: v for k, v in origin.meta.items() if k not in ("val", "tensor_meta")}
    new.meta["val"] = value
    return new


def mode_of(values: Any) -> AbstractContextManager[Any]:
    """Return the mode to compute further examples in; where autograd asks for a backward, none is active."""
    return detect_fake_mode(values) or nullcontext()


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in a node's value (a tensor, or a tuple or list of them)."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors(item)


def is_parameter(value: Any) -> bool:
    """Tell whether a tensor can be asked for by name: it has a size, which is known, and a plain type."""
    if not isinstance(value, torch.Tensor) or not all(isinstance(s, int) and s > 0 for s in value.shape):
        return False
    return str(value.dtype).removeprefix("torch.") in PARAMETER_DTYPES


def is_empty(value: Any) -> bool:
    """Whether a value is a tensor that never has elements."""
    return isinstance(value, torch.Tensor) and any(isinstance(s, int) and s == 0 for s in value.shape)


def hint(size: Any) -> int:
    """Return a size as an integer, the example's value where it is symbolic (1 when there is none)."""
    if isinstance(size, int):
        return size
    known = size.node.hint if isinstance(size, torch.SymInt) else None
    return int(known) if known is not None else 1
