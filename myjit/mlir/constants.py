"""Read the constant behind a value."""

from __future__ import annotations

from typing import Any

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
