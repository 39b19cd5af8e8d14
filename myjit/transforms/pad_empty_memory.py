"""Take a few bytes where a program would take memory of no bytes: CUDA has no address for it to free.

To free what a program of changing sizes had taken for an empty tensor (a part of `x.roll(3)` of 3 elements)
failed in the midst of its work (IREE 3.13). Remove when tests/transforms/test_pad_empty_memory.py passes
without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir import tensors
from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

#: What is taken at least: the alignment of all that lies in such memory.
_BYTES = 64


@dataclass(frozen=True)
class PadEmptyMemory(Pass):
    """Give the memory that a program takes for the time of a call a least size, where its size may change."""

    def run(self, module: Any) -> None:
        """Rewrite the sizes that `stream.resource.alloca` takes, in place."""
        module.context.dialects["arith"]  # loads it
        for op in [op for op in operations(module.operation) if op.name == "stream.resource.alloca"]:
            ir, size = bindings(op).ir, op.operands[0]
            if getattr(size.owner, "name", "") != "arith.constant":
                with ir.InsertionPoint(op), op.location:
                    least = tensors.index(ir, _BYTES)
                    taken = ir.Operation.create("arith.maxui", [size.type], [size, least])
                op.operands[0] = taken.results[0]
