"""Give dispatches that only copy code of our own on the CPU: padding, concatenation, turned dimensions.

IREE cuts what it copies into tiles of 64 × 64, row by row, each row's rest under a mask or number by number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.bodies import extracts
from myjit.mlir.context import bindings
from myjit.mlir.copies import Copy, copies, lies_apart
from myjit.mlir.copy_kernel import write_copies
from myjit.mlir.dispatches import is_compiled_by, leave_as_written, set_workgroups, vector_kernels
from myjit.mlir.operations import symbol_name
from myjit.mlir.vector_code import VectorCode
from myjit.mlir.views import Computed, InTurn
from myjit.passes.base import Pass

#: IREE's codegen pipelines for copies, and for loops.
_BY_IREE = ("BufferOpsTileAndVectorize", "Default", "DoubleTilingExpert")


@dataclass(frozen=True)
class WriteOutCopies(Pass):
    """Write out dispatches that copy rows of at least `least` elements, in at most `most` boxes."""

    IS_TUNING: ClassVar[bool] = True

    least: int = 8
    most: int = 64

    def run(self, module: Any) -> None:
        """Rewrite kernels, and how many workgroups there are of them, in place."""
        for variant, function, has in list(vector_kernels(module, _BY_IREE)):
            found = copies(function)
            if found and len(found) <= self.most and self._gains(function, found):
                set_workgroups(variant, symbol_name(function), _write(function, found, has.width))

    def _gains(self, function: Any, found: list[Copy]) -> bool:
        """Tell whether most of what is copied lies in rows, of the source and of the target.

        What is only computed, of rows in place and without parts put together, takes IREE the same time.
        """
        if any(isinstance(copy.source, Computed | InTurn) for copy in found):
            return len(found) > 1 or _looks_up(found[0]) or _lies_otherwise(found[0])
        if not is_compiled_by(function, _BY_IREE[-1]):
            return True
        in_rows = (
            copy.loops()[-1][1:] in ((1, 1), (1, 0), (1, -1)) or copy.across() is not None for copy in found
        )
        return all(in_rows) and any(self._shortest(copy) >= self.least for copy in found)

    @staticmethod
    def _shortest(copy: Copy) -> int:
        """Return the number of elements in a row, the fewer of the source's and the target's."""
        loops, across = copy.loops(), copy.across()
        return min(loops[-1][0], loops[-1 if across is None else across][0])


def _looks_up(copy: Copy) -> bool:
    """Tell whether a copy is computed of elements that are looked up, which IREE does one by one."""
    return isinstance(copy.source, Computed) and bool(extracts(copy.source.operation))


def _lies_otherwise(copy: Copy) -> bool:
    """Tell whether some of what a copy is computed of lies in steps, backwards or across its rows."""
    strides = copy.loops()[-1][1:]
    in_rows = not any(map(lies_apart, strides))
    return copy.across() is not None or (in_rows and any(stride not in (0, 1) for stride in strides))


def _write(function: Any, found: list[Copy], width: int) -> int:
    """Write a dispatch out and return how many workgroups it has."""
    ir = bindings(function).ir
    for dialect in ("arith", "memref", "scf", "vector"):
        function.context.dialects[dialect]  # loads it
    *ops, end = (op.operation for op in function.regions[0].blocks[0])
    with end.location, ir.InsertionPoint(end):
        groups = write_copies(VectorCode(ir, width), found)
    leave_as_written(function, ops)
    return groups
