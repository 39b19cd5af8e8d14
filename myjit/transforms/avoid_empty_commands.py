"""Give every command of a program something to do: IREE's CUDA driver hands empty ones on, and CUDA refuses.

A launch of no workgroups, and memory of no bytes to free, failed the call in the midst of its work where
sizes change: `x.roll(3)` of 3 elements joins no elements with all of them (IREE 3.13). Kernels of changing
sizes look for themselves whether there is work for a workgroup. Remove when
tests/transforms/test_avoid_empty_commands.py passes without this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir import tensors
from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

#: What memory is taken at least: the alignment of all that lies in it.
_BYTES = 64
_EXPORTS = ("hal.executable.export", "iree_codegen.dispatch_config")


@dataclass(frozen=True)
class AvoidEmptyCommands(Pass):
    """Launch one workgroup at least, and take some bytes at least, where the numbers may change."""

    def run(self, module: Any) -> None:
        """Bound the sizes of `stream.resource.alloca`, and the counts of workgroups of kernels, in place."""
        module.context.dialects["arith"]  # loads it
        for op in list(operations(module.operation)):
            if op.name == "stream.resource.alloca":
                _bound(op, 0, _BYTES)
            elif op.name in _EXPORTS:
                for count in [block.operations[len(block.operations) - 1] for block in op.regions[0]]:
                    for place in range(len(count.operands)):
                        _bound(count.operation, place, 1)


def _bound(op: Any, place: int, least: int) -> None:
    ir, value = bindings(op).ir, op.operands[place]
    if getattr(value.owner, "name", "") != "arith.constant":
        with ir.InsertionPoint(op), op.location:
            bound = tensors.index(ir, least)
            op.operands[place] = ir.Operation.create("arith.maxui", [value.type], [value, bound]).results[0]
