"""Give each dispatch that reads no tensors a kernel of its own.

IREE repeats such dispatches where their results are used, and finds out that two of them compute the same
only when it has decided what may be written in place: one result was then updated for the readers of the
other. Both results of `v = x[:1].argmin(0, keepdim=True); return v, v.scatter(0, v, 3)` were 3 (IREE 3.13, on
every target, without a word). Remove when tests/transforms/test_separate_repeats.py passes without this.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.flow_executables import copied, flow_executables
from myjit.mlir.memory import is_tensor
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class SeparateRepeats(Pass):
    """Copy what `flow.dispatch` operations without tensors run, from the second of the same on."""

    def run(self, module: Any) -> None:
        """Rewrite a module of dispatches in place."""
        ir = bindings(module.operation).ir
        executables = flow_executables(module)
        seen: Counter[Any] = Counter()
        for dispatch in [op for op in operations(module.operation) if op.name == "flow.dispatch"]:
            if any(map(is_tensor, dispatch.operands)):
                continue
            (entry,) = dispatch.attributes["entry_points"]
            seen[entry] += 1
            if seen[entry] > 1:
                own, _ = copied(executables, entry, f"_repeat_{seen[entry]}")
                dispatch.attributes["entry_points"] = ir.ArrayAttr.get([own])
