"""Round integers and truth values to bfloat16 by the bits of float32, as torch does.

IREE leaves these conversions to LLVM, also where they were written by way of float32, and LLVM calls
`__truncsfbf2` on processors without instructions for them (AVX512_BF16): nothing links that. Remove when the
tests pass without (IREE 3.13).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._scalars import Integers, Scalars


@dataclass(frozen=True)
class RoundIntegers(PatternPass):
    """Write out a kernel's casts of integers to bfloat16."""

    @pattern("arith.sitofp")
    def signed(self, op: Any, rewriter: Any) -> Any:
        """Build the bfloat16 of a signed integer, or nothing."""
        return _rounded(op)

    @pattern("arith.uitofp")
    def unsigned(self, op: Any, rewriter: Any) -> Any:
        """Build the bfloat16 of an unsigned integer, or nothing."""
        return _rounded(op)


def _rounded(op: Any) -> Any:
    """Build a float32 whose upper half is the number next to it, the even one of two: no integer is a NaN."""
    ir = bindings(op).ir
    number = op.results[0].type
    if str(number) != "bf16":
        return None
    short, long, wide = Integers(ir, 16), Integers(ir, 32), Scalars(ir, ir.F32Type.get())
    bits = long.cast("arith.bitcast", wide.cast(op.name, op.operands[0]))
    is_odd = long.both(long.shifted_down(bits, 16), 1)
    upper = long.shifted_down(long.add(bits, long.add(is_odd, 0x7FFF)), 16)
    return Scalars(ir, number).cast("arith.bitcast", short.cast("arith.trunci", upper))
