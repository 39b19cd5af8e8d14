"""The exponential, also less one, and the error function as a dozen additions and products.

IREE writes them out as well, for any machine: its exponential rounds by `floor` and converts to an integer
(each an eighth of a GPU's speed), its error function chooses each of seven coefficients from four with three
selections. Here rounding is an addition whose low bits are the integer, and the error function has two
polynomials with one selection. Both are within two units in the last place of float32 (the tests compare
them with float64), and have results below the least normal number, where IREE's own are zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.constants import constant_of
from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._scalars import Scalars, in_float32

LOG2_E = 1.4426950408889634
#: log(2) in two parts.
LOG_2 = (0.693147182464599609375, -1.904654323148236017e-9)
#: Where the exponential becomes infinite, falls below the least normal number, and is zero.
GREATEST, _LEAST, ZERO_FROM = 88.72283172607421875, -87.33654022216796875, -103.97208404541015625
#: Results below the least normal number come from ones that are 2^_SHIFT times as large.
_SHIFT = 32
#: The exponential less one is minus one from here on down.
_MINUS_ONE_FROM = -20.0
#: The square of the exponential from here on down is zero.
_ROOT_LEAST = -60.0

#: Minimax polynomials (Lawson's iteration): e^x on ±log(2)/2, relative error 3e-9;
EXP = (
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
#: For one and the error function, of which the absolute error counts: log2(erfc(x)) / x up to 4, 7.7e-8 off,
_LOG2_ERFC_RATIO = (
    -1.6279137315580376,
    -0.9183286475513724,
    -0.14896365714706944,
    0.02945249673216943,
    -0.0023022250745949324,
    -0.00046157714672018235,
    0.00010022153551045299,
)
#: and 2^x on ±1/2, relative error 9.1e-8, exact where x is 0.
_SHORT_EXP2 = (
    1.0,
    0.6931469775865396,
    0.24022242083722417,
    0.055507337731943523,
    0.009671512775091314,
    0.001326471511907984,
)
#: 2^x on ±1/2.
EXP2 = tuple(each * math.log(2) ** power for power, each in enumerate(EXP))
#: Adding this rounds to a whole number, which then stands in the lowest bits with a float's bias.
_ROUND_BIASED = 1.5 * 2**23 + 127


@dataclass(frozen=True)
class WriteOutExponentials(PatternPass):
    """Write out `math.exp`, `math.expm1` and `math.erf` of float32 and the half types.

    With `apart` the exponential's results below the least normal number and beyond the greatest are computed
    on their own, for `branch-around`.
    """

    IS_TUNING: ClassVar[bool] = True

    apart: bool = False

    @pattern("math.exp")
    def exp(self, op: Any, rewriter: Any) -> Any:
        """Build the exponential of a scalar, or nothing."""
        return in_float32(op, _exp_with_ends_apart if self.apart else _exp)

    @pattern("math.expm1")
    def exp_less_one(self, op: Any, rewriter: Any) -> Any:
        """Build the exponential of a scalar, less one, or nothing."""
        return in_float32(op, _exp_less_one)

    @pattern("math.erf")
    def erf(self, op: Any, rewriter: Any) -> Any:
        """Build the error function of a scalar, or nothing."""
        return None if _is_part_of_sums(op) else in_float32(op, _erf)

    @pattern("arith.addf")
    def one_and_erf(self, op: Any, rewriter: Any) -> Any:
        """Build the sum of one and the error function, most of GELU, or nothing."""
        erf = op.operands[0].owner
        return in_float32(erf, _one_and_erf) if _adds_one(op) and _is_part_of_sums(erf) else None


def _exp(f: Scalars, x: Any) -> Any:
    is_less = f.compare(x, "<", _LEAST)
    shifted = _exp_in_range(f, x, f.bits.select(is_less, _SHIFT, 0))
    # Zero in front of the product, since processors take long for products that end there by themselves.
    above_zero = f.select(f.compare(x, "<", ZERO_FROM), 0.0, shifted)
    inside = f.mul(above_zero, f.select(is_less, 2.0**-_SHIFT, 1.0))
    return f.select(f.compare(x, "<=", GREATEST), inside, f.add(x, float("inf")))  # a NaN stays


def _exp_with_ends_apart(f: Scalars, x: Any) -> Any:
    inside = _exp_in_range(f, x)
    half = f.mul(x, 0.5)
    root = _exp_in_range(f, f.select(f.compare(half, ">", _ROOT_LEAST), half, _ROOT_LEAST))
    finite = f.select(f.compare(x, ">", 0.0), inside, f.mul(root, root))
    outside = f.select(f.compare(x, "<=", GREATEST), finite, f.add(x, float("inf")))  # a NaN stays
    return f.select(f.compare(f.size(x), "<=", -_LEAST), inside, outside)


def _exp_in_range(f: Scalars, x: Any, doublings: Any = None) -> Any:
    whole, exponent = f.rounded(x, LOG2_E)
    power = f.polynomial(f.fma(whole, -LOG_2[1], f.fma(whole, -LOG_2[0], x)), *EXP)
    exponent = f.bits.add(exponent, doublings) if doublings is not None else exponent
    bits = f.bits.add(f.bits.cast("arith.bitcast", power), f.bits.shifted(exponent, 23))
    return f.cast("arith.bitcast", bits)


def _exp_less_one(f: Scalars, x: Any) -> Any:
    bounded = f.select(f.compare(x, "<", _MINUS_ONE_FROM), _MINUS_ONE_FROM, x)
    whole, exponent = f.rounded(bounded, LOG2_E)
    rest = f.fma(whole, -LOG_2[1], f.fma(whole, -LOG_2[0], bounded))
    near = f.fma(f.mul(rest, rest), f.polynomial(rest, *EXP[2:]), rest)
    # Half of 2^whole, which is infinite itself where the result is not yet.
    half = f.bits.add(f.bits.shifted(exponent, 23), 126 << 23)
    scale = f.cast("arith.bitcast", half)
    far = f.mul(f.fma(near, scale, f.sub(scale, 0.5)), 2.0)
    inside = f.signed(f.select(f.compare(whole, "==", 0.0), near, far), x)
    return f.select(f.compare(x, "<=", GREATEST), inside, f.add(x, float("inf")))  # a NaN stays


def _adds_one(op: Any) -> bool:
    """Tell whether an operation adds one to an error function of float32."""
    if op.name != "arith.addf" or str(op.results[0].type) != "f32":
        return False
    erf, one = op.operands
    return getattr(erf.owner, "name", "") == "math.erf" and constant_of(one) == 1.0


def _is_part_of_sums(erf: Any) -> bool:
    """Tell whether an error function is for such sums only."""
    users = [use.owner.operation for use in erf.results[0].uses]
    return bool(users) and all(map(_adds_one, users))


def _one_and_erf(f: Scalars, x: Any) -> Any:
    x = _divided(f, x)
    bounded = f.select(f.compare(_ONE_FROM, "<", size := f.size(x)), _ONE_FROM, size)  # a NaN stays
    logarithm = f.mul(f.polynomial(bounded, *_LOG2_ERFC_RATIO), bounded)
    shifted = f.add(logarithm, _ROUND_BIASED)  # in its lowest bits the exponent, as floats have it
    fraction = f.sub(logarithm, f.sub(shifted, _ROUND_BIASED))
    scale = f.bits.shifted(f.bits.cast("arith.bitcast", shifted), 23)
    erfc = f.mul(f.polynomial(fraction, *_SHORT_EXP2), f.cast("arith.bitcast", scale))
    return f.add(1.0, f.signed(f.sub(1.0, erfc), x))


def _divided(f: Scalars, x: Any) -> Any:
    """Build a product in place of a quotient by a constant: GELU's, as torch has it."""
    by = constant_of(x.owner.operands[1]) if getattr(x.owner, "name", "") == "arith.divf" else None
    return f.mul(x.owner.operands[0], 1 / by) if by else x


def _erf(f: Scalars, x: Any) -> Any:
    size = f.size(x)
    near = f.fma(f.polynomial(f.mul(x, x), *_ERF), x, x)
    bounded = f.select(f.compare(size, "<", _ONE_FROM), size, _ONE_FROM)
    far = f.sub(1.0, _exp_in_range(f, f.negative(f.polynomial(bounded, *_LOG_ERFC))))
    return f.select(f.compare(size, ">", _SMALL), f.signed(far, x), near)  # a NaN stays
