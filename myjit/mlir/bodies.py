"""What a linalg operation computes from one element of each tensor: the operations of its body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Looks an element of a tensor up by its indices.
EXTRACT = "tensor.extract"


def extracts(op: Any) -> list[Any]:
    """Return the operations of a linalg operation's body that look elements up, in order."""
    return [each.operation for each in op.regions[0].blocks[0] if each.operation.name == EXTRACT]


def yielded(op: Any, result: int = 0) -> Any:
    """Return the value that a linalg operation gives as one of its results' elements."""
    body = op.regions[0].blocks[0]
    return body.operations[len(body.operations) - 1].operands[result]


def needed(op: Any, value: Any) -> list[Any]:
    """Return the operations of a linalg operation's body that compute a value, in order."""
    wanted, found = {value}, []
    for each in reversed([each.operation for each in op.regions[0].blocks[0]]):
        if wanted & set(each.results):
            wanted |= set(each.operands)
            found.append(each)
    return found[::-1]


def copied(op: Any, value: Any, elements: Sequence[Any]) -> Any:
    """Build a value of a linalg operation's body anew, from one element of each tensor."""
    known = dict(zip(op.regions[0].blocks[0].arguments, elements, strict=True))
    for each in needed(op, value):
        copy = each.clone()
        for place, operand in enumerate(each.operands):
            copy.operands[place] = known.get(operand, operand)
        known.update(zip(each.results, copy.results, strict=True))
    return known.get(value, value)
