"""Keep what rounds to a half type within a kernel.

IREE computes bfloat16 in float32, and drops every cast to it that a cast back follows: in `x - y.bfloat16()`,
which says how much a rounding loses, nothing was lost. NVIDIA's Vulkan driver does so with float16. Here the
second cast is written out, by the bits.
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
    """Write out casts to float32 of what the same kernel computes in bfloat16, and with `float16` in that."""

    float16: bool = False

    @pattern("arith.extf")
    def extf(self, op: Any, rewriter: Any) -> Any:
        """Build the float32 of a half type, or nothing."""
        (value,) = op.operands
        kinds = ("bf16", "f16") if self.float16 else ("bf16",)
        if str(value.type) not in kinds or str(op.results[0].type) != "f32" or not _is_computed(value):
            return None
        ir = bindings(value).ir
        short, long, wide = Integers(ir, 16), Integers(ir, 32), Scalars(ir, ir.F32Type.get())
        bits = long.cast("arith.extui", short.cast("arith.bitcast", value))
        if str(value.type) == "f16":
            return _of_float16(long, wide, bits)
        return wide.cast("arith.bitcast", long.shifted(bits, 16))


def _of_float16(long: Integers, wide: Scalars, bits: Any) -> Any:
    """Build the float32 of a float16's bits: its exponent counts from 15, not from 127."""
    exponent, digits = long.both(bits, 0x7C00), long.both(bits, 0x03FF)
    shifted = long.shifted(long.both(bits, 0x7FFF), 13)
    normal = long.add(shifted, (127 - 15) << 23)
    endless = long.either(shifted, 0x7F800000)
    small = wide.mul(wide.cast("arith.uitofp", digits), 2.0**-24)
    size = long.select(long.compare(exponent, "==", 0x7C00), endless, normal)
    size = long.select(long.compare(exponent, "==", 0), long.cast("arith.bitcast", small), size)
    return wide.cast("arith.bitcast", long.either(size, long.shifted(long.both(bits, 0x8000), 16)))


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
