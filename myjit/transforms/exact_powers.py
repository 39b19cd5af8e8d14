"""Powers as C defines them, with every digit: IREE's are exp(y log x), 1e-5 off where y log x is near 88.

The binary logarithm is kept as the sum of two floats, and so is its product with the exponent (Dekker's way,
by fused multiply-add); what is over a whole number goes through the exponential's polynomial. IREE knows no
signs either: NaN for 0 to the 0 and for any number below 0. Remove when the tests pass without (IREE 3.13).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.tensors import constant
from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._scalars import Scalars, in_float32, in_float64
from myjit.transforms.write_out_exponentials import EXP2

#: (atanh(s) / s - 1) / s^2 in s^2 up to 0.03: what is left out is 5e-11 of the whole.
_ATANH = (1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11)
#: 2 / log(2) in two floats.
_TWO_LOG2_E = (float.fromhex("0x1.715476p+1"), float.fromhex("0x1.4ae0cp-25"))
#: A float32's bits: where the exponent begins, and those of sqrt(1/2), from which fractions are counted.
_FRACTION, _ROOT_HALF = 23, 0x3F3504F3
#: The least normal number; times 2^_SHIFT all below it are normal.
_LEAST, _SHIFT = 2.0**-126, 25
#: From where on 2^x is infinite, and to where zero.
_INFINITE_FROM, _ZERO_TO = 128.0, -151.0
#: 2^x is computed half as large, so that it cannot overflow, and 2^_LARGER times as large below _SMALL.
_SMALL, _LARGER = -124.0, 64
#: Whole exponents up to this are left to IREE, which multiplies: each time, half a unit in the last place.
_LARGEST_WHOLE = 8


@dataclass(frozen=True)
class ExactPowers(PatternPass):
    """Write out powers of floating-point numbers, but for small whole exponents.

    Without `fused`, for machines that may not have fused multiply-add or not keep to the order of additions,
    the power of a number's size is exp(y log x).
    """

    fused: bool = False

    @pattern("math.powf")
    def powf(self, op: Any, rewriter: Any) -> Any:
        """Build the power of one scalar to another, or nothing."""
        if _is_multiplied_out(constant_of(op.operands[1])):
            return None
        of_float32 = _size_fused if self.fused else _size
        return in_float64(op, lambda f, x, y: _power(f, x, y, _size)) or in_float32(
            op, lambda f, x, y: _power(f, x, y, of_float32)
        )

    @pattern("math.fpowi")
    def fpowi(self, op: Any, rewriter: Any) -> Any:
        """Build the power of a scalar to a number that torch-mlir made an integer, or nothing."""
        exponent = constant_of(op.operands[1])
        if exponent is None or _is_multiplied_out(exponent):
            return None
        ir = bindings(op).ir
        x = op.operands[0]
        y = constant(ir, x.type, ir.FloatAttr.get(x.type, float(exponent)))
        return ir.Operation.create("math.powf", [x.type], [x, y]).results[0]


def _is_multiplied_out(exponent: float | None) -> bool:
    return exponent is not None and exponent in range(_LARGEST_WHOLE + 1)


def _power(f: Scalars, x: Any, y: Any, power_of_size: Any) -> Any:
    if constant_of(x) == 2.0:
        return power_of_size(f, x, y)
    size = f.size(x)
    power = f.select(f.compare(size, "==", 1.0), 1.0, power_of_size(f, size, y))
    half = f.mul(y, 0.5)
    is_odd = f.compare(f.sub(half, f.floor(half)), "==", 0.5)
    of_whole = f.select(is_odd, f.signed(power, x), power)
    of_less = f.select(f.compare(x, ">", -math.inf), math.nan, power)
    of_other = f.select(f.compare(x, "<", 0.0), of_less, power)
    signed = f.select(f.compare(y, "==", f.floor(y)), of_whole, of_other)
    return f.select(f.compare(y, "==", 0.0), 1.0, f.select(f.compare(x, "==", 1.0), 1.0, signed))


def _size(f: Scalars, x: Any, y: Any) -> Any:
    return f.function("math.exp", f.mul(y, f.function("math.log", x)))


def _size_fused(f: Scalars, x: Any, y: Any) -> Any:
    if constant_of(x) == 2.0:
        return _exp2(f, y)
    high, low = _log2(f, x)
    product = f.mul(y, high)
    rest = f.fma(y, low, f.fma(y, high, f.negative(product)))
    return _exp2(f, product, rest)


def _log2(f: Scalars, x: Any) -> tuple[Any, Any]:
    """Build the binary logarithm of a number not below zero, as a sum; the first alone may be infinite."""
    bits = f.bits
    is_less = f.compare(x, "<", _LEAST)
    pattern = bits.cast("arith.bitcast", f.select(is_less, f.mul(x, 2.0**_SHIFT), x))
    from_root = bits.sub(pattern, _ROOT_HALF)
    fraction = bits.add(bits.both(from_root, 2**_FRACTION - 1), _ROOT_HALF)
    whole = f.sub(
        f.cast("arith.sitofp", bits.shifted_down_signed(from_root, _FRACTION)),
        f.select(is_less, float(_SHIFT), 0.0),
    )
    above = f.sub(f.cast("arith.bitcast", fraction), 1.0)  # exact, from sqrt(1/2) - 1 to sqrt(2) - 1
    sum_high, sum_low = _sum(f, 2.0, above)
    s = f.div(above, sum_high)
    missing = f.fma(f.negative(s), sum_low, f.fma(f.negative(s), sum_high, above))
    square = f.mul(s, s)
    tail = f.fma(f.mul(s, square), f.polynomial(square, *_ATANH), f.div(missing, sum_high))
    high = f.mul(s, _TWO_LOG2_E[0])
    low = f.fma(s, _TWO_LOG2_E[0], f.negative(high))
    high, low = _sum(f, high, f.fma(tail, _TWO_LOG2_E[0], f.fma(s, _TWO_LOG2_E[1], low)))
    total, rounded_off = _sum(f, whole, high)
    of_zero = f.select(f.compare(x, ">", 0.0), total, -math.inf)
    return f.select(f.compare(x, "<", math.inf), of_zero, x), f.add(rounded_off, low)  # a NaN stays


def _sum(f: Scalars, a: Any, b: Any) -> tuple[Any, Any]:
    """Build the sum of two numbers, the first zero or not the smaller, and what its rounding leaves out."""
    total = f.add(a, b)
    return total, f.sub(b, f.sub(total, a))


def _exp2(f: Scalars, x: Any, rest: Any = None) -> Any:
    """Build 2^(x + rest), where the rest counts if the power is neither zero nor infinite."""
    is_above_zero = f.compare(x, ">", _ZERO_TO)
    bounded = f.select(is_above_zero, x, _ZERO_TO)
    whole, exponent = f.rounded(bounded, 1.0)
    fraction = f.sub(bounded, whole)
    power = f.polynomial(fraction if rest is None else f.add(fraction, rest), *EXP2)
    is_small = f.compare(bounded, "<", _SMALL)
    exponent = f.bits.add(exponent, f.bits.select(is_small, _LARGER, -1))
    bits = f.bits.add(f.bits.cast("arith.bitcast", power), f.bits.shifted(exponent, _FRACTION))
    # Zero in front of the product, since processors take long for products that end there by themselves.
    inside = f.select(is_above_zero, f.cast("arith.bitcast", bits), 0.0)
    inside = f.mul(inside, f.select(is_small, 2.0**-_LARGER, 2.0))
    return f.select(f.compare(x, "<", _INFINITE_FROM), inside, f.add(x, math.inf))  # a NaN stays
