"""Sine, cosine, tangent and arc tangent with every digit: IREE's are off by 1e-8 near zero, by 3e-3 at 1e5.

So `sin(x) / x` came out a thousand times too large for a small `x`, and positions of a long text lost their
phase. Here the multiple of pi/2 next to the number is taken off in three parts (Cody and Waite), of large
numbers in integers, and what is left goes through the polynomials of the Cephes library. The arc tangent,
forty units in the last place off, is taken of numbers below tan(pi/8), from which on it is a half or a whole
right angle and that of a quotient. Remove when the tests pass without (IREE 3.13).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from myjit.passes.pattern import PatternPass, pattern
from myjit.transforms._arc_tangents import arc_tangent
from myjit.transforms._far_angles import far_angle
from myjit.transforms._scalars import Scalars, in_float32, in_float64

#: pi/2 in three parts, whose products with a whole number below 2^16 (2^31) are exact but for the last's,
_HALF_PI = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)
_HALF_PI_WIDE = tuple(map(float.fromhex, ("0x1.921fb0p+0", "0x1.5110b0p-22", "0x1.18469898cc517p-44")))
#: and in three float32, for products that are not rounded; all positive, so that -0 stays.
_HALF_PI_FUSED = tuple(map(float.fromhex, ("0x1.921fb4p+0", "0x1.4442dp-24", "0x1.846988p-48")))

_TURN = 2 / math.pi

#: What the sine's polynomial in x^2 holds after 1, and the cosine's after 1 - x^2 / 2.
_SINE = {
    "f32": (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
    "f64": (
        -1.66666666666666307295e-1,
        8.33333333332211858878e-3,
        -1.98412698295895385996e-4,
        2.75573136213857245213e-6,
        -2.50507477628578072866e-8,
        1.58962301576546568060e-10,
    ),
}
_COSINE = {
    "f32": (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
    "f64": (
        4.16666666666665929218e-2,
        -1.38888888888730564116e-3,
        2.48015872888517045348e-5,
        -2.75573141792967388112e-7,
        2.08757008419747316778e-9,
        -1.13585365213876817300e-11,
    ),
}
#: (atan(x) / x - 1) / x^2 in x^2 up to tan(pi/8)^2 (minimax, by Lawson's iteration: relative error 7e-10).
_ARC_TANGENT = (-0.333333152, 0.199984715, -0.142435333, 0.105938137, -0.0607822145)
_MIDDLE = math.tan(math.pi / 8)
#: What pi / 2 is more than its float32.
_MORE_HALF_PI = -4.371139000186241e-8


@dataclass(frozen=True)
class ExactTrigonometry(PatternPass):
    """Write out the sine, cosine, tangent and, of float32 and the half types, the arc tangent.

    The multiple of pi/2 is taken off in float32, and beyond 4e3 in integers. `fused`, for machines with fused
    multiply-add, needs those only beyond 2e6. `float64` writes those of float64 out too.
    """

    fused: bool = False
    float64: bool = False

    @pattern("math.sin")
    def sin(self, op: Any, rewriter: Any) -> Any:
        """Build the sine of a scalar, or nothing."""
        return self._written_out(op, _sine)

    @pattern("math.cos")
    def cos(self, op: Any, rewriter: Any) -> Any:
        """Build the cosine of a scalar, or nothing."""
        return self._written_out(op, _cosine)

    @pattern("math.tan")
    def tan(self, op: Any, rewriter: Any) -> Any:
        """Build the tangent of a scalar, or nothing."""
        return self._written_out(op, _tangent)

    @pattern("math.atan")
    def atan(self, op: Any, rewriter: Any) -> Any:
        """Build the arc tangent of a scalar, or nothing."""
        return in_float32(op, _arc_tangent)

    def _written_out(self, op: Any, build: Callable[[Scalars, Any, Any], Any]) -> Any:
        half_pi, near = (_HALF_PI_FUSED, 2.0**21) if self.fused else (_HALF_PI, 2.0**12)

        def of_float32(f: Scalars, x: Any) -> Any:
            return build(f, *_anywhere(f, x, near, _reduced(f, x, half_pi, by_sum=self.fused)))

        def of_float64(f: Scalars, x: Any) -> Any:
            return build(f, *_anywhere(f, x, 2.0**30, _reduced(f, x, _HALF_PI_WIDE)))

        return (in_float64(op, of_float64) if self.float64 else None) or in_float32(op, of_float32)


def _anywhere(f: Scalars, x: Any, near: float, angle: tuple[Any, Any]) -> tuple[Any, Any]:
    """Build the angle of any number, given the one that holds near zero."""
    size = f.size(x)
    is_near = f.compare(size, "<", near)
    far_quarter, far_rest = far_angle(f, x)
    far_rest = f.select(f.compare(size, "<", math.inf), far_rest, math.nan)
    quarter, rest = angle
    return f.bits.select(is_near, quarter, far_quarter), f.select(is_near, rest, far_rest)


def _reduced(f: Scalars, x: Any, half_pi: Iterable[float], *, by_sum: bool = True) -> tuple[Any, Any]:
    """Build the quarter of the circle, in an integer's two lowest bits, and the rest from -pi/4 to pi/4."""
    if by_sum:
        turns, quarter = f.rounded(x, _TURN)
    else:  # Vulkan's drivers may take a + b - b for a
        turns = f.floor(f.add(f.mul(x, _TURN), 0.5))
        quarter = f.bits.cast("arith.fptosi", turns)
    for part in half_pi:
        x = f.fma(turns, -part, x)
    return quarter, x


def _sine(f: Scalars, quarter: Any, rest: Any) -> Any:
    size = f.select(_is_odd(f, quarter), _cosine_near_zero(f, rest), _sine_near_zero(f, rest))
    return _negative_by_second_bit(f, quarter, size)


def _cosine(f: Scalars, quarter: Any, rest: Any) -> Any:
    return _sine(f, f.bits.add(quarter, 1), rest)


def _tangent(f: Scalars, quarter: Any, rest: Any) -> Any:
    sine, cosine = _sine_near_zero(f, rest), _cosine_near_zero(f, rest)
    odd = _is_odd(f, quarter)
    return f.div(f.select(odd, f.negative(cosine), sine), f.select(odd, sine, cosine))


def _arc_tangent(f: Scalars, x: Any) -> Any:
    return arc_tangent(f, x, _MIDDLE, _MORE_HALF_PI, lambda square: f.polynomial(square, *_ARC_TANGENT))


def _is_odd(f: Scalars, quarter: Any) -> Any:
    return f.bits.compare(f.bits.both(quarter, 1), "!=", 0)


def _negative_by_second_bit(f: Scalars, quarter: Any, size: Any) -> Any:
    sign = f.bits.shifted(f.bits.both(quarter, 2), f.bits.width - 2)
    return f.cast("arith.bitcast", f.bits.flipped(f.bits.cast("arith.bitcast", size), sign))


def _sine_near_zero(f: Scalars, x: Any) -> Any:
    return f.mul(x, f.polynomial(f.mul(x, x), 1.0, *_SINE[str(f.kind)]))  # -0 stays


def _cosine_near_zero(f: Scalars, x: Any) -> Any:
    return f.polynomial(f.mul(x, x), 1.0, -0.5, *_COSINE[str(f.kind)])
