"""Compute with torch what a program computes from constants alone.

torch-mlir folds such ops by itself and gets many wrong: it takes a negative whole number for an unsigned one
(`torch.ones(3) * -1` was 1.8e19), compares bits for numbers, and gives remainders the other sign. Once each
constant is one literal it has nothing left to fold.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg
from torch.utils._python_dispatch import _disable_current_modes

from myjit.frontend.aliases import ALIAS
from myjit.frontend.extract import attribute, is_literal
from myjit.frontend.nodes import tensors, with_origin
from myjit.frontend.tensor_bytes import flat_bytes
from myjit.graph._fills import filled_with, is_fill

aten = torch.ops.aten

#: What comparing a tensor of whole numbers with itself gives: torch-mlir knows it as well.
_REFLEXIVE: dict[Any, bool] = {
    **dict.fromkeys((aten.eq.Tensor, aten.le.Tensor, aten.ge.Tensor), True),
    **dict.fromkeys((aten.ne.Tensor, aten.lt.Tensor, aten.gt.Tensor), False),
}
#: Ops that count. torch-mlir folds nothing of theirs, and passes know a causal mask by them.
_RANGES = (aten.arange.default, aten.arange.start, aten.arange.start_step)
#: Ops that only move elements about, besides views.
_MOVES = (aten.clone.default, aten.repeat.default, aten.flip.default, aten.roll.default)


def run(gm: GraphModule) -> None:
    """Replace ops on constants by literals, and by tensors of one number where they are large."""
    known: dict[Node, Any] = {}
    with torch.no_grad(), _disable_current_modes():
        for node in list(gm.graph.nodes):
            value = None if ALIAS in node.meta else _value(gm, node, known)
            if value is None:
                continue
            known[node] = value
            if _is_worth_it(node, value, known):
                known[_write(gm, node, value)] = value
    for node in reversed(list(known)):
        if not node.users:
            gm.graph.erase_node(node)


def _is_worth_it(node: Node, value: Any, known: Mapping[Node, Any]) -> bool:
    """Tell whether a node computes from constants, and may be written as one."""
    example: Any = node.meta["val"]
    if not isinstance(value, torch.Tensor) or not any(source in known for source in node.all_input_nodes):
        return False
    if node.target is aten.clone.default or not example.is_contiguous():
        return False
    if any(ALIAS in user.meta for user in node.users):
        return False  # the program may change it, and is to see that through views of it
    results = [tensor for each in (node, *node.users) for tensor in tensors(each.meta.get("val"))]
    if any(result.dtype == torch.uint8 for result in results):
        return False  # torch-mlir takes no literal of bytes, nor makes them of what it knows
    return is_literal(value) or _is_one_number(value)


def _is_view(target: torch._ops.OpOverload) -> bool:
    return any(result.alias_info for result in target._schema.returns)


def _value(gm: GraphModule, node: Node, known: Mapping[Node, Any]) -> Any:
    """Return what a node is where that is a constant, on the CPU: one number is expanded to its shape."""
    if node.op == "get_attr":
        value = attribute(gm, node)
        if not isinstance(value, torch.Tensor) or not _is_plain(value) or not is_literal(value):
            return None
        return value.detach().cpu()
    example: Any = node.meta.get("val")
    parts = list(tensors(example))
    if node.op != "call_function" or not parts or not all(map(_is_plain, parts)):
        return None
    if is_fill(node):
        number = filled_with(node)
        return _filled(number, parts[0]) if isinstance(number, (int, float)) else None
    if node.target in _RANGES or not _is_function(node):
        return None
    arguments: Any = node.args
    if node.target in _REFLEXIVE and arguments[0] is arguments[1] and _is_exact(arguments[0]):
        return _filled(_REFLEXIVE[node.target], parts[0])
    if node.target is aten.copy.default and arguments[1] in known:
        return known[arguments[1]].to(parts[0].dtype).expand(parts[0].shape)
    if node.target is aten.where.self and _is_one_number(known.get(arguments[0])):
        chosen = arguments[1 if known[arguments[0]].flatten()[0] else 2]
        return known[chosen].to(parts[0].dtype).expand(parts[0].shape) if chosen in known else None
    if not all(source in known for source in node.all_input_nodes):
        return None
    values = [known[source] for source in node.all_input_nodes]
    try:
        if all(is_literal(tensor) for value in (example, *values) for tensor in tensors(value)):
            return _called(node, known)
        return _of_one_number(node, known)
    except Exception:  # noqa: BLE001 - whatever fails here fails when it is called, as in eager
        return None


def _is_exact(node: Any) -> bool:
    """Tell whether a tensor holds no NaN, which is not even equal to itself."""
    return not (node.meta["val"].is_floating_point() or node.meta["val"].is_complex())


def _is_plain(tensor: torch.Tensor) -> bool:
    sizes = all(isinstance(size, int) and size > 0 for size in tensor.shape)
    return (
        sizes and tensor.layout == torch.strided and not tensor.dtype.is_complex and not tensor.is_quantized
    )


def _is_function(node: Node) -> bool:
    """Tell whether a node computes the same from the same, and does nothing else."""
    if node.target is operator.getitem:
        return True
    if not isinstance(node.target, torch._ops.OpOverload) or node.target.namespace not in ("aten", "prims"):
        return False
    random = torch.Tag.nondeterministic_seeded in node.target.tags or "empty" in node.target.name()
    return not random and not node.target._schema.is_mutable


def _called(node: Node, known: Mapping[Node, Any]) -> Any:
    target: Any = node.target
    args, kwargs = map_arg((node.args, node.kwargs), known.__getitem__)
    return target(*args, **{name: "cpu" if name == "device" else value for name, value in kwargs.items()})


def _of_one_number(node: Node, known: Mapping[Node, Any]) -> torch.Tensor | None:
    """Compute one element of a large tensor whose elements are all the same."""
    example: Any = node.meta["val"]
    values = {source: known[source] for source in node.all_input_nodes}
    if not isinstance(example, torch.Tensor) or not all(map(_is_one_number, values.values())):
        return None
    target: Any = node.target
    if torch.Tag.pointwise in target.tags or target is aten._to_copy.default:
        elements = {source: value[(slice(1),) * value.dim()] for source, value in values.items()}
        return _filled(_called(node, elements), example)  # of as many dimensions, which decide on types
    if target in _MOVES or _is_view(target):
        (value,) = values.values()
        return _filled(value[(0,) * value.dim()], example)
    return None


def _filled(number: Any, example: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(number, dtype=example.dtype).reshape(()).expand(example.shape)


def _is_one_number(value: Any) -> bool:
    """Tell whether all elements of a tensor are the same, to the bit."""
    if not isinstance(value, torch.Tensor):
        return False
    if all(stride == 0 or size == 1 for size, stride in zip(value.shape, value.stride(), strict=True)):
        return True
    if not is_literal(value) or value.numel() == 0:
        return False
    elements = flat_bytes(value).view(value.numel(), -1)
    return bool((elements == elements[0]).all())


def _write(gm: GraphModule, node: Node, value: torch.Tensor) -> Node:
    """Put a constant in a node's place: a tensor that is new at each call."""
    example: Any = node.meta["val"]
    with gm.graph.inserting_before(node):
        if _is_one_number(value):
            number = value[(0,) * value.dim()].item()
            settings = {"dtype": example.dtype, "device": example.device}
            new = gm.graph.call_function(aten.full.default, (list(value.shape), number), settings)
        else:
            name = f"_folded_{node.name}"
            gm.register_buffer(name, value.contiguous().to(example.device), persistent=False)
            literal = with_origin(gm.graph.get_attr(name), node, example)
            new = gm.graph.call_function(aten.clone.default, (literal,))
    node.replace_all_uses_with(new)
    return with_origin(new, node, example)
