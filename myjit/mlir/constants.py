"""Read the constant behind a value."""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings

#: Operations whose one result is a constant, and where its value stands.
_CONSTANTS = ("arith.constant", "torch.constant.float", "torch.constant.int", "torch.constant.bool")


def constant_of(value: Any) -> Any:
    """Return the number that `value` always is, as a Python number; None when it is no constant.

    Reads scalar constants of the arith and the torch dialect.
    """
    operation = getattr(value.owner, "operation", value.owner)
    if getattr(operation, "name", None) not in _CONSTANTS:
        return None
    return getattr(operation.attributes["value"], "value", None)


def repeated_number(tensor: Any) -> Any:
    """Return the number that all elements of a tensor always are, as an attribute; None without one."""
    ir, op = bindings(tensor).ir, getattr(tensor.owner, "operation", tensor.owner)
    match getattr(op, "name", None):
        case "linalg.fill" if constant_of(op.operands[0]) is not None:
            return op.operands[0].owner.attributes["value"]
        case "arith.constant":
            elements = op.attributes["value"]
            if isinstance(elements, ir.DenseElementsAttr) and elements.is_splat:
                return elements.get_splat_value()
    return None
