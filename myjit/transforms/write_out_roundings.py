"""Rounding to the nearest whole number, halves to even ones, as two additions.

IREE writes `math.roundeven` out by bits, in several times the operations. The sum of a number and 2^23 (of
float64, 2^52) has no bits below one, and is rounded as all sums are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._scalars import Scalars, in_float32, in_float64


@dataclass(frozen=True)
class WriteOutRoundings(PatternPass):
    """Write out `math.roundeven` of floats up to 64 bits."""

    IS_TUNING: ClassVar[bool] = True

    @pattern("math.roundeven")
    def round_half_to_even(self, op: Any, rewriter: Any) -> Any:
        """Build a rounded number, or nothing."""
        narrow = in_float32(op, lambda f, x: _rounded(f, x, 2.0**23))
        return narrow if narrow is not None else in_float64(op, lambda f, x: _rounded(f, x, 2.0**52))


def _rounded(f: Scalars, x: Any, whole_from: float) -> Any:
    size = f.size(x)
    rounded = f.sub(f.add(size, whole_from), whole_from)
    return f.select(f.compare(size, "<", whole_from), f.signed(rounded, x), x)  # a NaN stays
