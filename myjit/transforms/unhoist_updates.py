"""Compute at each call, not when the program is loaded, what is written into a tensor that is known.

IREE hoists what depends on no input into initializers, and takes a tensor there for free to be written in
place although it is stored as well: both results of
`v = x[:1].argmin(0, keepdim=True); return v, v.scatter(0, v, 3)`, where `v` is known to be 0, were 3
(IREE 3.13, on Vulkan, without a word; on other targets see `separate-repeats`). Remove when
tests/transforms/test_unhoist_updates.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.flow_updates import is_read_elsewhere, written
from myjit.mlir.memory import memory_of
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_LOAD, _STORE, _INITIALIZER = "util.global.load", "util.global.store", "util.initializer"


@dataclass(frozen=True)
class UnhoistUpdates(Pass):
    """Move initializers that update tensors to where the globals are loaded that they store."""

    def run(self, module: Any) -> None:
        """Rewrite a module of dispatches in place."""
        for op in [op for op in operations(module.operation) if op.name == _INITIALIZER]:
            if any(map(_updates_what_others_read, operations(op))) and len(op.regions[0].blocks) == 1:
                _inline(module, op)


def _updates_what_others_read(op: Any) -> bool:
    """Tell whether an operation writes in place what is stored in a global, or used elsewhere."""
    targets = [op.operands[place] for place in written(op)]
    return any(_is_loaded(target) or is_read_elsewhere(target) for target in targets)


def _is_loaded(value: Any) -> bool:
    return getattr(memory_of(value).owner, "name", "") == _LOAD


def _inline(module: Any, initializer: Any) -> None:
    *body, end = (op.operation for op in initializer.regions[0].blocks[0])
    stored = {op.attributes["global"]: op.operands[0] for op in body if op.name == _STORE}
    computing = [op for op in body if op.name != _STORE]
    for load in [op for op in operations(module.operation) if op.name == _LOAD]:
        value = stored.get(load.attributes["global"])
        if value is not None:
            load.results[0].replace_all_uses_with(_computed(load, computing, value))
            load.erase()
    for op in (*reversed(body), end):
        op.erase()
    initializer.erase()


def _computed(load: Any, ops: list[Any], value: Any) -> Any:
    """Build copies of operations before a load; return that of a value."""
    ir = bindings(load).ir
    copies: dict[Any, Any] = {}
    with ir.InsertionPoint(load):
        for op in ops:
            copy = op.clone()
            for place, operand in enumerate(op.operands):
                copy.operands[place] = copies.get(operand, operand)
            copies.update(zip(op.results, copy.results, strict=True))
    return copies[value]
