"""Whose memory a tensor is, once IREE has placed it."""

from __future__ import annotations

import math
from typing import Any

from myjit.mlir.context import bindings

#: Operations whose result may be the memory of their first operand.
_VIEWS = frozenset(
    (
        *("tensor.expand_shape", "tensor.collapse_shape", "tensor.cast", "tensor.reshape"),
        *("tensor.extract_slice", "tensor.bitcast", "arith.bitcast"),
    )
)
#: Operations that may do no more than move elements.
_MOVES = ("linalg.broadcast", "linalg.transpose", "linalg.copy", "linalg.generic")


def is_tensor(value: Any) -> bool:
    """Tell whether a value is a ranked tensor."""
    return str(value.type).startswith("tensor<")


def memory_of(value: Any) -> Any:
    """Return the tensor whose memory `value` may be, or may become; the value itself where it is no view."""
    ir = bindings(value).ir
    while True:
        source = _viewed(ir, value)
        if source is None:
            return value
        value = source


def _viewed(ir: Any, value: Any) -> Any:
    """Return the tensor that a value looks at, at once or when IREE has simplified the program, or None.

    A broadcast to as many elements is a view to IREE: it drops the dimensions of size one.
    """
    owner = value.owner
    name = getattr(owner, "name", None)  # a block, where the value is an argument
    if name in _VIEWS:
        return owner.operands[0]
    source = _moved(owner.operation) if name in _MOVES else None
    return source if source is not None and _may_be_as_large(ir, source, value) else None


def _moved(op: Any) -> Any:
    """Return the operand whose elements an operation moves, unchanged, to its result."""
    if op.name != "linalg.generic":
        return op.operands[0]
    block = op.regions[0].blocks[0]
    (yielded, *_), arguments = list(block)[-1].operands, list(block.arguments)
    inputs = next(iter(op.attributes["operandSegmentSizes"]))
    place = arguments.index(yielded) if yielded in arguments else inputs
    return op.operands[place] if place < inputs else None


def _may_be_as_large(ir: Any, one: Any, other: Any) -> bool:
    kinds = [ir.ShapedType(value.type) for value in (one, other)]
    if not all(kind.has_static_shape for kind in kinds):
        return True
    return math.prod(kinds[0].shape) == math.prod(kinds[1].shape)
