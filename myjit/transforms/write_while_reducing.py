"""Write what is computed of rows in the loops that add something up of the same: a loss, and its gradient.

IREE computes what both are made of in a kernel of its own, writes it to memory and reads it twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.loops import Loops
from myjit.mlir.operations import user_within
from myjit.passes.base import FunctionPass
from myjit.transforms._row_groups import MANY_ROWS
from myjit.transforms._sibling_loops import Sibling, merge_siblings
from myjit.transforms.widen_vectors import WIDE_TYPES

#: Numbers of a row from which on it fills vectors: those of shorter ones would be added up one by one.
_LONG = 64


@dataclass(frozen=True)
class WriteWhileReducing(FunctionPass):
    """Merge reductions along rows with loops over the same elements whose results no other loops read."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function in place."""
        for block in function.regions[0]:
            _end_results_late(block)
            merge_siblings(block, _are_sum_and_result, reductions=False)


def _end_results_late(block: Any) -> None:
    """Move what marks the ends of results to their users: nothing else reads a result in between."""
    for op in [each.operation for each in block]:
        if op.name == "iree_tensor_ext.compute_barrier.end":
            users = [user_within(block, use) for use in op.results[0].uses]
            first = next((each.operation for each in block if each.operation in users), None)
            if first is not None:
                op.move_before(first)


def _are_sum_and_result(reduction: Sibling, written: Sibling) -> bool:
    rows, extents = reduction.rows, reduction.extents
    if math.prod(extents[row] for row in rows) < MANY_ROWS or math.prod(extents[rows[-1] + 1 :]) < _LONG:
        return False
    types = (Loops(each.operation).element_types() for each in (reduction, written))
    if not all(WIDE_TYPES.issuperset(each) for each in types):
        return False
    if any(use.owner.name == "linalg.generic" for use in written.operation.results[0].uses):
        return False
    # What follows from the sums element by element would have to be in the same kernel.
    readers = [use.owner for result in reduction.operation.results for use in result.uses]
    return not any(op.name == "linalg.generic" and tuple(Loops(op).extents()) == extents for op in readers)
