"""Reduce rows once for all that is added up of them: the two sums of a norm's gradient.

IREE makes a kernel of each, and what follows from both takes another one: rows go through memory three times.
One operation with several results leads to what follows, so that `fuse-rows` makes all of it one kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.passes.base import FunctionPass
from myjit.transforms._sibling_loops import Sibling, merge_siblings


@dataclass(frozen=True)
class ReduceTogether(FunctionPass):
    """Merge reductions along the same rows, made of a tensor in common, that do not need each other."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function in place."""
        for block in function.regions[0]:
            merge_siblings(block, _reduce_both, reductions=True)


def _reduce_both(first: Sibling, second: Sibling) -> bool:
    return first.rows == second.rows
