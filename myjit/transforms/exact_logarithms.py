"""Logarithms of numbers below the least normal one, which IREE takes for that: log(1e-45) came out as -87.

They are multiplied by a power of two in front, and what that adds is taken off behind. Of log(1 + x), which
IREE corrects by (1 + x) - 1, Vulkan's drivers leave log(1 + x) / x * x: 0 where x is 2e38, twice the result
where it is 6e-8. Remove when the tests pass without (IREE 3.13).
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
#: (log(1 + x) - x + x^2 / 2) / x^3 between _FROM and _TO (the Cephes library's).
_NEAR_ONE = (
    3.3333331174e-1,
    -2.4999993993e-1,
    2.0000714765e-1,
    -1.6668057665e-1,
    1.4249322787e-1,
    -1.2420140846e-1,
    1.1676998740e-1,
    -1.1514610310e-1,
    7.0376836292e-2,
)
_FROM, _TO = math.sqrt(0.5) - 1, math.sqrt(2) - 1


@dataclass(frozen=True)
class ExactLogarithms(PatternPass):
    """Have natural, binary and decimal logarithms of float32 and the half types take every number.

    `near_one` writes log(1 + x) out by a polynomial, for drivers that do not keep to the order of additions.
    """

    near_one: bool = False

    @pattern("math.log")
    def log(self, op: Any, rewriter: Any) -> Any:
        """Build the natural logarithm of a scalar, or nothing."""
        return _exact(op, op.name, math.log(2))

    @pattern("math.log2")
    def log2(self, op: Any, rewriter: Any) -> Any:
        """Build the binary logarithm of a scalar, or nothing."""
        return _exact(op, op.name, 1.0)

    @pattern("math.log10")
    def log10(self, op: Any, rewriter: Any) -> Any:
        """Build the decimal logarithm of a scalar out of the natural one, or nothing."""
        return _exact(op, "math.log", math.log(2), per=math.log(10))

    @pattern("math.log1p")
    def log1p(self, op: Any, rewriter: Any) -> Any:
        """Build log(1 + x) of a scalar, or nothing."""
        return in_float32(op, _log1p) if self.near_one else None


def _log1p(f: Scalars, x: Any) -> Any:
    square = f.mul(x, x)
    near = f.fma(f.polynomial(x, *_NEAR_ONE), f.mul(square, x), f.fma(square, -0.5, x))
    far = f.function("math.log", f.add(x, 1.0))
    inside = f.select(f.compare(x, "<", _TO), near, far)
    return f.select(f.compare(x, ">", _FROM), inside, far)  # a NaN stays


def _exact(op: Any, name: str, of_two: float, per: float | None = None) -> Any:
    if _IS_EXACT in op.attributes:
        return None
    attributes = {_IS_EXACT: bindings(op).ir.UnitAttr.get()}

    def build(f: Scalars, x: Any) -> Any:
        is_less = f.compare(x, "<", _LEAST)
        normal = f.select(is_less, f.mul(x, 2.0**_SHIFT), x)
        logarithm = f.sub(f.function(name, normal, attributes), f.select(is_less, _SHIFT * of_two, 0.0))
        return logarithm if per is None else f.div(logarithm, per)

    return in_float32(op, build)
