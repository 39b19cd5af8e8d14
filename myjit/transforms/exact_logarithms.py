"""Logarithms of numbers below the least normal one, which IREE takes for that: log(1e-45) came out as -87.

They are multiplied by a power of two in front, and what that adds is taken off behind. Remove when the tests
pass without (IREE 3.13).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._scalars import Scalars, in_float32

#: The least normal number of float32; times 2^_SHIFT all below it are normal.
_LEAST, _SHIFT = 2.0**-126, 25
_IS_EXACT = "myjit.is_exact"


@dataclass(frozen=True)
class ExactLogarithms(PatternPass):
    """Have natural, binary and decimal logarithms of float32 and the half types take every number."""

    @pattern("math.log")
    def log(self, op: Any, rewriter: Any) -> Any:
        """Build the natural logarithm of a scalar, or nothing."""
        return _exact(op, math.log(2))

    @pattern("math.log2")
    def log2(self, op: Any, rewriter: Any) -> Any:
        """Build the binary logarithm of a scalar, or nothing."""
        return _exact(op, 1.0)

    @pattern("math.log10")
    def log10(self, op: Any, rewriter: Any) -> Any:
        """Build the decimal logarithm of a scalar, or nothing."""
        return _exact(op, math.log10(2))


def _exact(op: Any, of_two: float) -> Any:
    if _IS_EXACT in op.attributes:
        return None
    attributes = {_IS_EXACT: bindings(op).ir.UnitAttr.get()}

    def build(f: Scalars, x: Any) -> Any:
        is_less = f.compare(x, "<", _LEAST)
        normal = f.select(is_less, f.mul(x, 2.0**_SHIFT), x)
        logarithm = f.function(op.name, normal, attributes)
        return f.sub(logarithm, f.select(is_less, _SHIFT * of_two, 0.0))

    return in_float32(op, build)
