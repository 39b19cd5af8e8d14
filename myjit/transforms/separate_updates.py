"""Compute what is written into a tensor apart, where it is computed from that very tensor.

IREE fuses the two into one kernel that reads the tensor while it updates it in place: `x[2:9] = x[1:8] + 2`
read elements that it had already written (IREE 3.13; remove when the test passes without this).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.memory import is_tensor, memory_of
from myjit.mlir.operations import operations
from myjit.mlir.tensors import computed_apart
from myjit.passes.base import FunctionPass

#: Operations that write some elements of a tensor, with the place of that tensor among their operands
#: (from the end where negative).
_UPDATES = {"tensor.insert_slice": 1, "tm_tensor.scatter": -1}

#: Operations that make a tensor of nothing: none reads what it updates.
_FRESH = ("tensor.empty", "linalg.fill", "arith.constant")


@dataclass(frozen=True)
class SeparateUpdates(FunctionPass):
    """Put a barrier before what is written into a tensor and depends on it."""

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of an IREE-side module in place."""
        ir = bindings(function).ir
        arguments = list(function.regions[0].blocks[0].arguments)  # protect-inputs copies these
        for update in [op for op in operations(function) if op.name in _UPDATES]:
            target = update.operands[_UPDATES[update.name] % len(update.operands)]
            memory = memory_of(target)
            if memory in arguments or getattr(memory.owner, "name", "") in _FRESH:
                continue
            for place, value in enumerate(update.operands):
                if is_tensor(value) and value != target and _depends(value, memory):
                    with ir.InsertionPoint(update), update.location:
                        update.operands[place] = computed_apart(value)


def _depends(value: Any, memory: Any) -> bool:
    """Tell whether a value is computed from a tensor, or from a view of it."""
    waiting, seen = [value], set()
    while waiting:
        current = waiting.pop()
        if current == memory:
            return True
        owner = current.owner
        if hasattr(owner, "operands") and owner not in seen:
            seen.add(owner)
            waiting += _read(owner)
    return False


def _read(op: Any) -> Iterator[Any]:
    """Yield what an operation reads, inside of its regions too."""
    yield from op.operands
    for inner in operations(op):
        yield from inner.operands
