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
        *("flow.tensor.reshape", "flow.tensor.bitcast"),
    )
)
#: Operations that may do no more than move elements.
_MOVES = ("linalg.broadcast", "linalg.transpose", "linalg.copy", "linalg.generic")

#: Dialects whose operations update their last group of operands.
_DESTINATION_STYLE = ("linalg.", "tm_tensor.", "iree_linalg_ext.")
#: Operations that update one operand, with its place.
_UPDATES = {"tensor.insert_slice": 1, "tensor.insert": 1, "tensor.parallel_insert_slice": 1}
#: Operations whose regions update what they start from.
_LOOPS = ("scf.for", "scf.while", "scf.forall")


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


def updated(op: Any) -> range | tuple[int, ...]:
    """Return the places of the operands that an operation updates."""
    count = len(op.operands)
    if op.name in _UPDATES:
        return (_UPDATES[op.name],)
    if op.name in _LOOPS:
        return range(count)
    if not op.name.startswith(_DESTINATION_STYLE) or not any(map(is_tensor, op.results)):
        return ()
    if "operandSegmentSizes" in op.attributes:
        return range(count - list(op.attributes["operandSegmentSizes"])[-1], count)
    return range(count - len(op.results), count)
