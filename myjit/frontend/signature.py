"""The signature of an extracted part, from the values that tracing recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
import torch
from torch.fx import Node

from myjit.artifact import Signature, TensorSpec
from myjit.frontend.extract import Extract
from myjit.frontend.in_place import IN_PLACE
from myjit.frontend.nodes import hint


def signature_of(part: Extract, *, guarded: bool = False) -> Signature:
    """Describe how to call a part.

    `guarded` tells that the last output is the guard of `bounds.checked`. Outputs whose sizes follow
    from the inputs are bound (the caller provides their memory); the rest are allocated by the compiled
    code.
    """
    inputs = tuple(_input(n) for n in part.inputs)
    symbols = _symbols(part.inputs)
    outputs = tuple(tensor_spec(n.meta["val"]) for n in part.outputs)
    bound: list[int] = []
    used: set[str] = set()
    for index, node in enumerate(part.outputs):
        needed = _free_symbols(node.meta["val"])
        if needed <= symbols.keys() and _is_arithmetic(node.meta["val"]):
            bound.append(index)
            used |= needed
    known = tuple((name, *symbols[name]) for name in sorted(used))
    # Not where IREE allocates a result: one that is a view of the input would share its memory.
    in_place = _in_place(part, inputs, outputs) if len(bound) == len(outputs) else {}
    bound = [index for index in bound if index not in in_place]
    return Signature(inputs, outputs, known, tuple(bound), guarded, in_place=tuple(in_place.items()))


def _in_place(
    part: Extract, inputs: Sequence[TensorSpec | str], outputs: Sequence[TensorSpec]
) -> dict[int, int]:
    """Return, by output, the input whose memory it is written into."""
    places = {node.name: index for index, node in enumerate(part.inputs)}
    marked = {i: places.get(node.meta.get(IN_PLACE, "")) for i, node in enumerate(part.outputs)}
    return {
        output: given
        for output, given in marked.items()
        if given is not None and inputs[given] == outputs[output] and _may_be_given(outputs[output])
    }


def _may_be_given(spec: TensorSpec) -> bool:
    """Tell whether IREE can take a tensor's memory for its own: all of it is known, and it lies as it is."""
    return spec.is_static and 0 not in spec.shape and not spec.is_permuted and spec.dtype != "bool"


def tensor_spec(value: torch.Tensor) -> TensorSpec:
    """Describe a tensor: dtype, sizes (expressions where symbolic) and memory order."""
    sizes = tuple(s if isinstance(s, int) else _text(s) for s in value.shape)
    return TensorSpec(str(value.dtype).removeprefix("torch."), sizes, memory_order(value))


def memory_order(value: torch.Tensor) -> tuple[int, ...]:
    """Return the permutation that brings a dense tensor's dimensions into memory order.

    The identity for contiguous tensors, and for those that no permutation makes contiguous
    (expanded, sliced): these are copied at the call.
    """
    sizes = [hint(s) for s in value.shape]
    strides = [hint(s) for s in value.stride()]
    identity = tuple(range(len(sizes)))
    if 0 in sizes or _dense(sizes, strides, identity):
        return identity
    order = tuple(sorted(identity, key=lambda d: -strides[d]))
    return order if _dense(sizes, strides, order) else identity


def has_gaps(value: torch.Tensor) -> bool:
    """Tell whether a tensor's memory holds more, or fewer, elements than the tensor, in whatever order."""
    sizes = [hint(s) for s in value.shape]
    return 0 not in sizes and not _dense(sizes, [hint(s) for s in value.stride()], memory_order(value))


def _dense(sizes: list[int], strides: list[int], order: Sequence[int]) -> bool:
    expected = 1
    for dim in reversed(order):
        if sizes[dim] != 1 and strides[dim] != expected:
            return False
        expected *= sizes[dim]
    return True


def _input(node: Node) -> TensorSpec | str:
    value = node.meta.get("val")
    if isinstance(value, torch.Tensor):
        return tensor_spec(value)
    for name, kinds in (
        ("bool", (bool, torch.SymBool)),
        ("int", (int, torch.SymInt)),
        ("float", (float, torch.SymFloat)),
    ):
        if isinstance(value, kinds):
            return name
    raise TypeError(f"input {node.name} of a partition is a {type(value).__name__}")


def _symbols(inputs: Sequence[Node]) -> dict[str, tuple[int, int]]:
    """Map each symbol to the input and dimension that hold it (dimension -1: the input itself)."""
    found: dict[str, tuple[int, int]] = {}
    for index, node in enumerate(inputs):
        value = node.meta.get("val")
        if isinstance(value, torch.SymInt) and isinstance(value.node.expr, sympy.Symbol):
            found.setdefault(str(value.node.expr), (index, -1))
        if isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt) and isinstance(size.node.expr, sympy.Symbol):
                    found.setdefault(str(size.node.expr), (index, dim))
    return found


def _free_symbols(value: torch.Tensor) -> set[str]:
    expressions = (s.node.expr for s in value.shape if isinstance(s, torch.SymInt))
    return {str(symbol) for e in expressions for symbol in e.free_symbols}


def _text(size: Any) -> str:
    from torch.utils._sympy.printers import PythonPrinter

    return PythonPrinter().doprint(size.node.expr)


def _is_arithmetic(value: torch.Tensor) -> bool:
    """Whether every size prints as integer arithmetic that the runtime evaluates."""
    from torch.utils._sympy.functions import FloorDiv, Max, Min, Mod, PythonMod

    allowed = (
        sympy.Add,
        sympy.Mul,
        sympy.Integer,
        sympy.Symbol,
        FloorDiv,
        Mod,
        PythonMod,
        Max,
        Min,
    )
    sizes = (s.node.expr for s in value.shape if isinstance(s, torch.SymInt))
    return all(isinstance(e, allowed) for size in sizes for e in sympy.preorder_traversal(size))
