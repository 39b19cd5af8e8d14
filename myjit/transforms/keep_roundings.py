"""Keep what rounds to bfloat16 within a kernel.

IREE computes bfloat16 in float32, and drops every cast to it that a cast back follows: in `x - y.bfloat16()`,
which says how much a rounding loses, nothing was lost. Here the second cast is written out, by the bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._scalars import Integers, Scalars

#: The operations of a dispatch that hand a tensor on as it is.
_HANDS_ON = "tensor."


@dataclass(frozen=True)
class KeepRoundings(PatternPass):
    """Write out casts from bfloat16 of what the same kernel computes."""

    @pattern("arith.extf")
    def extf(self, op: Any, rewriter: Any) -> Any:
        """Build the float32 of a bfloat16, or nothing."""
        (value,) = op.operands
        if str(value.type) != "bf16" or str(op.results[0].type) != "f32" or not _is_computed(value):
            return None
        ir = bindings(value).ir
        short, long = Integers(ir, 16), Integers(ir, 32)
        bits = long.cast("arith.extui", short.cast("arith.bitcast", value))
        return Scalars(ir, ir.F32Type.get()).cast("arith.bitcast", long.shifted(bits, 16))


def _is_computed(value: Any) -> bool:
    """Tell whether a kernel computes a number, and does not read it from memory."""
    ir = bindings(value).ir
    if not isinstance(value.owner, ir.Block):
        return True
    loop = value.owner.owner
    number = ir.BlockArgument(value).arg_number
    operands = list(loop.operands)
    if not loop.name.startswith("linalg.") or number >= len(operands) or _is_product(loop):
        return False
    source = operands[number].owner
    while not isinstance(source, ir.Block) and source.name.startswith(_HANDS_ON) and len(source.operands):
        source = source.operands[0].owner
    return not isinstance(source, ir.Block) and source.name.startswith("linalg.")


def _is_product(loop: Any) -> bool:
    """Tell whether a loop reduces several tensors at once, as a product does."""
    return "reduction" in Loops(loop).iterators and len(loop.operands) > len(loop.results) + 1
