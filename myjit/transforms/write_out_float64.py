"""Functions of float64 that IREE's CPU code calls by name, and cannot link: written out.

Rational approximations of the Cephes library (atan, erf), and the others by functions that there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._arc_tangents import arc_tangent
from myjit.transforms._scalars import Scalars, in_float64

#: (atan(x) / x - 1) / x^2 below 0.66 as a quotient of polynomials in x^2, the constant term first,
_ATAN = (
    (-64.85021904942025, -122.88666844901361, -75.00855792314705, -16.157537187333652, -0.8750608600031904),
    (194.5506571482614, 485.3903996359137, 432.88106049129027, 165.02700983169885, 24.858464901423062, 1.0),
)
#: erf(x) / x below 1, in x^2 too,
_ERF = (
    (55592.30130103949, 7003.325141128051, 2232.005345946843, 90.02601972038427, 9.604973739870516),
    (49267.39426086359, 22629.000061389095, 4594.323829709801, 521.3579497801527, 33.56171416475031, 1.0),
)
#: and erfc(x) exp(x^2) from there to 6, in x.
_ERFC = (
    (
        *(557.5353353693994, 1027.5518868951572, 934.5285271719576, 526.4451949954773, 196.5208329560771),
        *(48.63719709856814, 7.463210564422699, 0.5641895648310689, 2.461969814735305e-10),
    ),
    (
        *(557.5353408177277, 1656.6630919416134, 2246.3376081871097, 1823.9091668790973, 975.7085017432055),
        *(354.9377788878199, 86.70721408859897, 13.228195115474499, 1.0),
    ),
)
_MIDDLE = 0.66
#: A float64's bits, and what makes a denormal number a normal one.
_FRACTION, _BIAS, _LEAST_NORMAL, _SHIFT = 52, 1023, 2.0**-1022, 54
#: What pi / 2 is more than its float64.
_MORE_HALF_PI = 6.123233995736766e-17


@dataclass(frozen=True)
class WriteOutFloat64(PatternPass):
    """Write out the hyperbolic and the inverse tangent, sine and cosine, erf, log2 and log10 of float64."""

    @pattern("math.tanh")
    def tanh(self, op: Any, rewriter: Any) -> Any:
        """Build the hyperbolic tangent of a scalar, or nothing."""
        return in_float64(op, _tanh)

    @pattern("math.atan")
    def atan(self, op: Any, rewriter: Any) -> Any:
        """Build the arc tangent of a scalar, or nothing."""
        return in_float64(op, _atan)

    @pattern("math.asin")
    def asin(self, op: Any, rewriter: Any) -> Any:
        """Build the arc sine of a scalar, or nothing."""
        return in_float64(op, _asin)

    @pattern("math.acos")
    def acos(self, op: Any, rewriter: Any) -> Any:
        """Build the arc cosine of a scalar, or nothing."""
        return in_float64(op, _acos)

    @pattern("math.erf")
    def erf(self, op: Any, rewriter: Any) -> Any:
        """Build the error function of a scalar, or nothing."""
        return in_float64(op, _erf)

    @pattern("math.log2")
    def log2(self, op: Any, rewriter: Any) -> Any:
        """Build the binary logarithm of a scalar, or nothing."""
        return in_float64(op, _log2)

    @pattern("math.log10")
    def log10(self, op: Any, rewriter: Any) -> Any:
        """Build the decimal logarithm of a scalar, or nothing."""
        return in_float64(op, lambda f, x: f.div(f.function("math.log", x), math.log(10)))


def _tanh(f: Scalars, x: Any) -> Any:
    less_one = f.function("math.expm1", f.mul(f.size(x), -2.0))
    return f.signed(f.div(less_one, f.add(less_one, 2.0)), x)


def _log2(f: Scalars, x: Any) -> Any:
    """Build a binary logarithm, of powers of two a whole number."""
    is_less = f.compare(x, "<", _LEAST_NORMAL)
    bits = f.bits
    pattern = bits.cast("arith.bitcast", f.select(is_less, f.mul(x, 2.0**_SHIFT), x))
    exponent = f.cast("arith.sitofp", bits.shifted_down(pattern, _FRACTION))
    fraction = bits.either(bits.both(pattern, 2**_FRACTION - 1), _BIAS << _FRACTION)
    rest = f.cast("arith.bitcast", fraction)  # from 1 to 2
    is_upper = f.compare(rest, ">", math.sqrt(2))
    logarithm = f.function("math.log", f.select(is_upper, f.mul(rest, 0.5), rest))
    whole = f.sub(exponent, f.select(is_less, float(_BIAS + _SHIFT), float(_BIAS)))
    of_number = f.add(f.select(is_upper, f.add(whole, 1.0), whole), f.div(logarithm, math.log(2)))
    is_number = f.compare(f.mul(x, 0.0), "==", 0.0)
    return f.select(f.compare(x, ">", 0.0), f.select(is_number, of_number, x), f.function("math.log", x))


def _atan(f: Scalars, x: Any) -> Any:
    return arc_tangent(f, x, _MIDDLE, _MORE_HALF_PI, lambda square: _quotient(f, square, _ATAN))


def _asin(f: Scalars, x: Any) -> Any:
    other = f.function("math.sqrt", f.mul(f.sub(1.0, x), f.add(1.0, x)))
    return _atan(f, f.div(x, other))


def _acos(f: Scalars, x: Any) -> Any:
    half = _atan(f, f.function("math.sqrt", f.div(f.sub(1.0, x), f.add(1.0, x))))
    return f.add(half, half)


def _erf(f: Scalars, x: Any) -> Any:
    size = f.size(x)
    near = f.mul(size, _quotient(f, f.mul(size, size), _ERF))
    bounded = f.select(f.compare(size, "<", 6.0), size, 6.0)
    rest = f.function("math.exp", f.negative(f.mul(bounded, bounded)))
    far = f.sub(1.0, f.mul(rest, _quotient(f, bounded, _ERFC)))
    value = f.select(f.compare(size, "<", 1.0), near, f.select(f.compare(size, "==", size), far, size))
    return f.signed(value, x)


def _quotient(f: Scalars, x: Any, polynomials: tuple[tuple[float, ...], tuple[float, ...]]) -> Any:
    above, below = polynomials
    return f.div(f.polynomial(x, *above), f.polynomial(x, *below))
