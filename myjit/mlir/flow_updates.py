"""What operations between dispatches write in place."""

from __future__ import annotations

from typing import Any

from myjit.mlir.memory import memory_of


def written(op: Any) -> list[int]:
    """Return the places of the operands that a dispatch, an update or a call writes in place."""
    if op.name == "flow.tensor.update":
        return [0]
    if "tied_operands" not in op.attributes:
        return []
    workload = op.attributes["operandSegmentSizes"][0] if op.name == "flow.dispatch" else 0
    return [workload + place.value for place in op.attributes["tied_operands"] if place.value >= 0]


def is_read_elsewhere(value: Any) -> bool:
    """Tell whether a tensor, or what it is a view of, is used more than once."""
    source = memory_of(value)
    while len(list(value.uses)) == 1 and value != source:
        value = value.owner.operands[0]
    return len(list(value.uses)) > 1


def is_written(value: Any) -> bool:
    """Tell whether an operation writes into a tensor, or a reshape of it, in place."""
    for use in value.uses:
        user = use.owner.operation
        if user.name == "flow.tensor.reshape" and is_written(user.result):
            return True
        if use.operand_number in written(user):
            return True
    return False
