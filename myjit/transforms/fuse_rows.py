"""Compute reductions over the same rows, and what leads from one to the next, in one kernel.

IREE ends a kernel behind each reduction, so a norm writes its centred rows to memory and reads them twice.
In a region of their own, marked before it cuts the program up, they become one kernel that takes a few rows
at a time, which stay in the processor's nearest cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.regions import dispatch_region, is_bound
from myjit.passes.base import FunctionPass
from myjit.transforms._row_groups import Block
from myjit.transforms.limit_bindings import LimitBindings


@dataclass(frozen=True)
class FuseRows(FunctionPass):
    """Put what goes through the same rows into dispatch regions."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function in place."""
        for each in function.regions[0]:
            block = Block(each)
            if block.groups:
                _rebuild(block)


def _rebuild(block: Block) -> None:
    """Put the operations into an order in which groups are regions; the last one ends the block."""
    end = block.operations[-1]
    # Found before anything changes, see _row_groups.py.
    units = [(places, block.results(places) if is_group else []) for places, is_group in block.schedule()]
    for places, results in units:
        members = [block.operations[place] for place in places]
        if results and _count_tensors(members, len(results)) <= LimitBindings.most:
            dispatch_region(members, results, end)
        else:
            for operation in members:
                if operation != end:
                    operation.move_before(end)


def _count_tensors(members: list[Any], results: int) -> int:
    """Return how many tensors a kernel of operations would take, with those it gives."""
    own = {result for member in members for result in member.results}
    return len({value for member in members for value in member.operands if is_bound(value)} - own) + results
