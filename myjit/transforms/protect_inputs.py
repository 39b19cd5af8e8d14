"""Copy inputs before an operation that would update them in place: IREE leaves that copy out.

It takes the buffers of arguments for its own, so a scatter into one would change the caller's tensor
(seen with IREE 3.13; remove when a scatter into an argument leaves the argument as it was). The copy
goes through a choice that is always the same but that the compiler cannot know, or it would be dropped
as well.

Arguments that the caller gives up, which the importer marks `iree.abi.consume`, are updated in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.memory import is_tensor, memory_of, updated
from myjit.mlir.operations import operations
from myjit.mlir.structured import copied
from myjit.passes.base import Pass, functions

#: IREE's mark of an argument whose memory is the function's to write into.
GIVEN_UP = "iree.abi.consume"


@dataclass(frozen=True)
class ProtectInputs(Pass):
    """Let operations update copies of a function's arguments, but for those that are given up."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        ir = bindings(module).ir
        for dialect in ("arith", "linalg", "tensor", "util"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            block = function.regions[0].blocks[0]
            given_up = _are_given_up(function)
            arguments = [a for a, free in zip(block.arguments, given_up, strict=True) if not free]
            for op in list(operations(function)):
                for place in updated(op):
                    if is_tensor(op.operands[place]) and memory_of(op.operands[place]) in arguments:
                        with ir.InsertionPoint(op), op.location:
                            op.operands[place] = copied(op.operands[place])


def _are_given_up(function: Any) -> list[bool]:
    """Tell of each argument of a function whether its memory is the function's to write into."""
    count = len(function.regions[0].blocks[0].arguments)
    if "arg_attrs" not in function.attributes:
        return [False] * count
    return [GIVEN_UP in attributes for attributes in function.attributes["arg_attrs"]]
