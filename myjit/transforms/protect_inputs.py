"""Copy inputs before an operation that would update them in place: IREE leaves that copy out.

It takes the buffers of arguments for its own, so a scatter into one would change the caller's tensor
(seen with IREE 3.13; remove when a scatter into an argument leaves the argument as it was). The copy
goes through a choice that is always the same but that the compiler cannot know, or it would be dropped
as well.

Arguments that the caller gives up are updated in place: the importer lists them in the mark `myjit.consumed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.memory import is_tensor, memory_of, updated
from myjit.mlir.operations import operations
from myjit.mlir.structured import copied
from myjit.passes.base import Pass, functions

#: The function attribute that lists the arguments whose memory is the function's to write into.
CONSUMED_ATTRIBUTE = "myjit.consumed"


@dataclass(frozen=True)
class ProtectInputs(Pass):
    """Let operations update copies of a function's arguments, but for those that are given up."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        ir = bindings(module).ir
        for dialect in ("arith", "linalg", "tensor", "util"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            consumed = _consumed(ir, function)
            arguments = list(function.regions[0].blocks[0].arguments)
            arguments = [each for i, each in enumerate(arguments) if i not in consumed]
            for op in list(operations(function)):
                for place in updated(op):
                    if is_tensor(op.operands[place]) and memory_of(op.operands[place]) in arguments:
                        with ir.InsertionPoint(op), op.location:
                            op.operands[place] = copied(op.operands[place])


def _consumed(ir: Any, function: Any) -> set[int]:
    """Turn the mark of a function into IREE's own, on its arguments; return which they are."""
    if CONSUMED_ATTRIBUTE not in function.attributes:
        return set()
    consumed = {attribute.value for attribute in function.attributes[CONSUMED_ATTRIBUTE]}
    del function.attributes[CONSUMED_ATTRIBUTE]
    count = len(function.regions[0].blocks[0].arguments)
    marks = [{"iree.abi.consume": ir.UnitAttr.get()} if i in consumed else {} for i in range(count)]
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(mark) for mark in marks])
    return consumed
