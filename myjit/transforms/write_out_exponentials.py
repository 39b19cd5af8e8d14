"""The exponential and the error function as a dozen additions and products.

IREE writes them out as well, for any machine: its exponential rounds by `floor` and converts to an integer
(each an eighth of a GPU's speed), its error function chooses each of seven coefficients from four with three
selections. Here rounding is an addition whose low bits are the integer, and the error function has two
polynomials with one selection. Both are within two units in the last place of float32 (the tests compare
them with float64), and have results below the least normal number, where IREE's own are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._scalars import Scalars, in_float32

_LOG2_E = 1.4426950408889634
#: log(2) in two parts.
_LOG_2 = (0.693147182464599609375, -1.904654323148236017e-9)
#: Where the exponential becomes infinite, falls below the least normal number, and is zero.
_GREATEST, _LEAST, _ZERO_FROM = 88.72283172607421875, -87.33654022216796875, -103.97208404541015625
#: Results below the least normal number come from ones that are 2^_SHIFT times as large.
_SHIFT = 32
#: The square of the exponential from here on down is zero.
_ROOT_LEAST = -60.0

#: Minimax polynomials (Lawson's iteration): e^x on ±log(2)/2, relative error 3e-9;
_EXP = (
    1.0,
    1.0,
    4.9999994e-01,
    1.6666521e-01,
    4.166839e-02,
    8.368717e-03,
    1.3814599e-03,
)
#: erf(x) / x - 1 in x^2 up to 0.9, relative error 1.2e-8;
_ERF = (
    1.2837915e-01,
    -3.7612525e-01,
    1.1282139e-01,
    -2.6778858e-02,
    5.011882e-03,
    -6.089919e-04,
)
#: -log(erfc(x)) from 0.9 to 4, from where on erf is 1: error of erf 1.7e-9.
_LOG_ERFC = (
    1.6644785e-04,
    1.1277972,
    6.3697606e-01,
    1.04113676e-01,
    -2.2315213e-02,
    3.0654902e-03,
    -1.9821964e-04,
)
_SMALL, _ONE_FROM = 0.9, 4.0


@dataclass(frozen=True)
class WriteOutExponentials(PatternPass):
    """Write out `math.exp` and `math.erf` of float32 and the half types.

    With `apart` the exponential's results below the least normal number and beyond the greatest are computed
    on their own, for `branch-around`.
    """

    IS_TUNING: ClassVar[bool] = True

    apart: bool = False

    @pattern("math.exp")
    def exp(self, op: Any, rewriter: Any) -> Any:
        """Build the exponential of a scalar, or nothing."""
        return in_float32(op, _exp_with_ends_apart if self.apart else _exp)

    @pattern("math.erf")
    def erf(self, op: Any, rewriter: Any) -> Any:
        """Build the error function of a scalar, or nothing."""
        return in_float32(op, _erf)


def _exp(f: Scalars, x: Any) -> Any:
    is_less = f.compare(x, "<", _LEAST)
    shifted = _exp_in_range(f, x, f.bits.select(is_less, _SHIFT, 0))
    # Zero in front of the product, since processors take long for products that end there by themselves.
    above_zero = f.select(f.compare(x, "<", _ZERO_FROM), 0.0, shifted)
    inside = f.mul(above_zero, f.select(is_less, 2.0**-_SHIFT, 1.0))
    return f.select(f.compare(x, "<=", _GREATEST), inside, f.add(x, float("inf")))  # a NaN stays


def _exp_with_ends_apart(f: Scalars, x: Any) -> Any:
    inside = _exp_in_range(f, x)
    half = f.mul(x, 0.5)
    root = _exp_in_range(f, f.select(f.compare(half, ">", _ROOT_LEAST), half, _ROOT_LEAST))
    finite = f.select(f.compare(x, ">", 0.0), inside, f.mul(root, root))
    outside = f.select(f.compare(x, "<=", _GREATEST), finite, f.add(x, float("inf")))  # a NaN stays
    return f.select(f.compare(f.size(x), "<=", -_LEAST), inside, outside)


def _exp_in_range(f: Scalars, x: Any, doublings: Any = None) -> Any:
    whole, exponent = f.rounded(x, _LOG2_E)
    power = f.polynomial(f.fma(whole, -_LOG_2[1], f.fma(whole, -_LOG_2[0], x)), *_EXP)
    exponent = f.bits.add(exponent, doublings) if doublings is not None else exponent
    bits = f.bits.add(f.bits.cast("arith.bitcast", power), f.bits.shifted(exponent, 23))
    return f.cast("arith.bitcast", bits)


def _erf(f: Scalars, x: Any) -> Any:
    size = f.size(x)
    near = f.fma(f.polynomial(f.mul(x, x), *_ERF), x, x)
    bounded = f.select(f.compare(size, "<", _ONE_FROM), size, _ONE_FROM)
    far = f.sub(1.0, _exp_in_range(f, f.negative(f.polynomial(bounded, *_LOG_ERFC))))
    return f.select(f.compare(size, ">", _SMALL), f.signed(far, x), near)  # a NaN stays
