"""Sine, cosine and tangent with every digit: IREE's are off by 1e-8 near zero and by 3e-3 at 1e5.

So `sin(x) / x` came out a thousand times too large for a small `x`, and positions of a long text lost their
phase. Here the multiple of pi/2 next to the number is taken off in three parts (Cody and Waite), and what is
left goes through the polynomials of the Cephes library. Remove when the tests pass without (IREE 3.13).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.tensors import constant
from myjit.passes.pattern import PatternPass, pattern

#: pi/2 in three parts, whose products with a whole number below 2^16 (2^31) are exact but for the last's.
_HALF_PI = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)
_HALF_PI_WIDE = (
    float.fromhex("0x1.921fb0p+0"),
    float.fromhex("0x1.5110b0p-22"),
    float.fromhex("0x1.18469898cc517p-44"),
)

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


@dataclass(frozen=True)
class ExactTrigonometry(PatternPass):
    """Write out the sine, cosine and tangent.

    `wide` takes the multiple of pi/2 off in float64, which holds for numbers to 2e9, and not in float32,
    which holds to 1e5: for targets where float64 costs little. float64 itself stays as it is without.
    """

    wide: bool = False

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

    def _written_out(self, op: Any, build: Callable[[_Scalars, Any, Any], Any]) -> Any:
        (value,) = op.operands
        ir = bindings(value).ir
        f32, f64 = _Scalars(ir, ir.F32Type.get()), _Scalars(ir, ir.F64Type.get())
        name = str(value.type)
        if name == "f64":
            return build(f64, *_reduced(f64, value, _HALF_PI_WIDE)) if self.wide else None
        if name not in ("f32", "f16", "bf16"):
            return None
        if self.wide:
            reduced = _reduced(f64, f64.cast("arith.extf", value), _HALF_PI_WIDE)
            reduced = tuple(f32.cast("arith.truncf", part) for part in reduced)
        else:
            reduced = _reduced(f32, value if name == "f32" else f32.cast("arith.extf", value), _HALF_PI)
        result = build(f32, *reduced)
        return result if name == "f32" else _Scalars(ir, value.type).cast("arith.truncf", result)


def _reduced(f: _Scalars, x: Any, half_pi: tuple[float, ...]) -> tuple[Any, Any]:
    """Build the quarter of the circle, 0 to 3, and what remains of a number, between -pi/4 and pi/4."""
    turns = f.floor(f.add(f.mul(x, 0.6366197723675814), 0.5))
    for part in half_pi:
        x = f.sub(x, f.mul(turns, part))
    return f.sub(turns, f.mul(f.floor(f.mul(turns, 0.25)), 4.0)), x


def _sine(f: _Scalars, quarter: Any, rest: Any) -> Any:
    size = f.select(f.either(quarter, 1, 3), f.cosine_near_zero(rest), f.sine_near_zero(rest))
    return f.select(f.either(quarter, 2, 3), f.negative(size), size)


def _cosine(f: _Scalars, quarter: Any, rest: Any) -> Any:
    size = f.select(f.either(quarter, 1, 3), f.sine_near_zero(rest), f.cosine_near_zero(rest))
    return f.select(f.either(quarter, 1, 2), f.negative(size), size)


def _tangent(f: _Scalars, quarter: Any, rest: Any) -> Any:
    sine, cosine = f.sine_near_zero(rest), f.cosine_near_zero(rest)
    odd = f.either(quarter, 1, 3)
    return f.div(f.select(odd, f.negative(cosine), sine), f.select(odd, sine, cosine))


class _Scalars:
    """Build arithmetic on floats of one kind, Python's numbers among them."""

    def __init__(self, ir: Any, kind: Any) -> None:
        self.ir, self.kind = ir, kind

    def mul(self, a: Any, b: Any) -> Any:
        return self._op("arith.mulf", a, b)

    def add(self, a: Any, b: Any) -> Any:
        return self._op("arith.addf", a, b)

    def sub(self, a: Any, b: Any) -> Any:
        return self._op("arith.subf", a, b)

    def div(self, a: Any, b: Any) -> Any:
        return self._op("arith.divf", a, b)

    def negative(self, a: Any) -> Any:
        return self._op("arith.negf", a)

    def floor(self, a: Any) -> Any:
        return self._op("math.floor", a)

    def sine_near_zero(self, x: Any) -> Any:
        return self.mul(x, self.polynomial(self.mul(x, x), 1.0, *_SINE[str(self.kind)]))  # -0 stays

    def cosine_near_zero(self, x: Any) -> Any:
        return self.polynomial(self.mul(x, x), 1.0, -0.5, *_COSINE[str(self.kind)])

    def polynomial(self, x: Any, *coefficients: float) -> Any:
        """Build a polynomial, the constant term first, by Horner's rule."""
        value: Any = coefficients[-1]
        for coefficient in coefficients[-2::-1]:
            value = self.add(self.mul(value, x), coefficient)
        return value

    def either(self, a: Any, one: float, other: float) -> Any:
        """Build whether a number is one of two."""
        bit = self.ir.IntegerType.get_signless(1)
        equal = self.ir.IntegerAttr.get(self.ir.IntegerType.get_signless(64), 1)  # arith's `oeq`
        first, second = (
            self.ir.Operation.create(
                "arith.cmpf", [bit], [a, self._value(number)], {"predicate": equal}
            ).results[0]
            for number in (one, other)
        )
        return self.ir.Operation.create("arith.ori", [bit], [first, second]).results[0]

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        return self.ir.Operation.create("arith.select", [self.kind], [condition, a, b]).results[0]

    def cast(self, op: str, value: Any) -> Any:
        """Build a number of this kind from one of another."""
        return self.ir.Operation.create(op, [self.kind], [value]).results[0]

    def _op(self, name: str, *operands: Any) -> Any:
        return self.ir.Operation.create(name, [self.kind], [self._value(a) for a in operands]).results[0]

    def _value(self, a: Any) -> Any:
        if not isinstance(a, (int, float)):
            return a
        return constant(self.ir, self.kind, self.ir.FloatAttr.get(self.kind, float(a)))
