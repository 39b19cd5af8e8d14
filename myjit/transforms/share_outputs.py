"""Let what follows read a result where it was written: in the caller's memory.

IREE writes a value straight into a result's memory only where nothing else reads it. Otherwise it keeps
the value in memory of its own and copies it at the end, and a forward whose backward wants its activations
copies nearly all of them. Here the value moves into the result's memory as soon as it is computed, and
everything else reads it there. A value that something is later written into stays where it is: IREE writes in
place, and makes no copy of what is the caller's by then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.flow_updates import is_written
from myjit.mlir.operations import operations
from myjit.passes.base import Pass


@dataclass(frozen=True)
class ShareOutputs(Pass):
    """Bind results of dispatches to the memory of the function's results, where others read them too."""

    IS_TUNING: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Move every `hal.tensor.alias` of a static value up to the dispatch that computes it."""
        for op in list(operations(module.operation)):
            if op.name == "hal.tensor.alias":
                _move_up(bindings(module).ir, op)


def _move_up(ir: Any, alias: Any) -> None:
    value, storage = alias.operands[0], alias.operands[1]
    chain = [value]
    while _name(chain[-1].owner) == "flow.tensor.reshape":
        chain.append(chain[-1].owner.operands[0])
    result = chain[-1]
    dispatch = result.owner
    if _name(dispatch) != "flow.dispatch" or dispatch.operation.block != alias.block:
        return
    if not isinstance(storage.owner, ir.Block):
        return  # it may come after the dispatch
    if not all(ir.RankedTensorType(v.type).has_static_shape for v in chain):
        return
    if all(len(list(v.uses)) == 1 for v in chain):
        return  # IREE writes it there by itself
    if is_written(result):
        return
    attributes = {name: alias.attributes[name] for name in alias.attributes}
    with ir.InsertionPoint.after(dispatch), alias.location:
        early = ir.Operation.create(alias.name, [result.type], [result, storage], attributes)
    result.replace_all_uses_except(early.result, early)
    alias.results[0].replace_all_uses_with(alias.operands[0])
    alias.erase()


def _name(owner: Any) -> str:
    """Name what a value comes from; empty for a block, whose argument it is."""
    return getattr(owner, "name", "")
