"""Arithmetic on scalars, for passes that write functions out inside of loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.tensors import constant

#: arith's comparisons of integers,
_INTEGER_PREDICATES = {"==": 0, "!=": 1, "unsigned >=": 9}
#: and of floats (ordered: false with a NaN).
_PREDICATES = {"==": 1, ">": 2, "<": 4, "<=": 5}
#: Adding this rounds to a whole number, which then stands in the lowest bits.
_ROUND = {"f32": 1.5 * 2**23, "f64": 1.5 * 2**52}


class _Numbers:
    """Build operations on numbers of one kind; Python's numbers are operands too."""

    def __init__(self, ir: Any, kind: Any) -> None:
        self.ir, self.kind = ir, kind

    def cast(self, op: str, value: Any) -> Any:
        """Build a number of this kind from one of another."""
        return self.ir.Operation.create(op, [self.kind], [value]).results[0]

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        operands = [condition, self._value(a), self._value(b)]
        return self.ir.Operation.create("arith.select", [self.kind], operands).results[0]

    def _op(self, name: str, *operands: Any) -> Any:
        return self.ir.Operation.create(name, [self.kind], [self._value(a) for a in operands]).results[0]

    def _compare(self, name: str, predicate: int, *operands: Any) -> Any:
        bit, word = (self.ir.IntegerType.get_signless(n) for n in (1, 64))
        attribute = {"predicate": self.ir.IntegerAttr.get(word, predicate)}
        return self.ir.Operation.create(name, [bit], [self._value(a) for a in operands], attribute).results[0]

    def _value(self, a: Any) -> Any:
        return constant(self.ir, self.kind, self._attribute(a)) if isinstance(a, (int, float)) else a

    def _attribute(self, number: float) -> Any:
        raise NotImplementedError


class Integers(_Numbers):
    """Arithmetic on the bits of floats."""

    def __init__(self, ir: Any, width: int) -> None:
        super().__init__(ir, ir.IntegerType.get_signless(width))
        self.width = width

    def add(self, a: Any, b: Any) -> Any:
        return self._op("arith.addi", a, b)

    def sub(self, a: Any, b: Any) -> Any:
        return self._op("arith.subi", a, b)

    def mul(self, a: Any, b: Any) -> Any:
        return self._op("arith.muli", a, b)

    def product(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Build a product's lower and upper words out of half words."""
        half = self.width // 2
        (a_low, a_high), (b_low, b_high) = (self._halves(value) for value in (a, b))
        low = self.mul(a_low, b_low)
        middle = self.add(self.mul(a_high, b_low), self.shifted_down(low, half))
        middle_low, middle_high = self._halves(middle)
        other = self.add(self.mul(a_low, b_high), middle_low)
        high = self.add(self.mul(a_high, b_high), self.add(middle_high, self.shifted_down(other, half)))
        return self.mul(a, b), high

    def _halves(self, value: Any) -> tuple[Any, Any]:
        half = self.width // 2
        return self.both(value, 2**half - 1), self.shifted_down(value, half)

    def both(self, a: Any, b: Any) -> Any:
        return self._op("arith.andi", a, b)

    def either(self, a: Any, b: Any) -> Any:
        return self._op("arith.ori", a, b)

    def flipped(self, a: Any, b: Any) -> Any:
        return self._op("arith.xori", a, b)

    def shifted(self, a: Any, places: Any) -> Any:
        return self._op("arith.shli", a, places)

    def shifted_down(self, a: Any, places: Any) -> Any:
        """Build a number shifted by some places, with zeros from above."""
        return self._op("arith.shrui", a, places)

    def shifted_down_signed(self, a: Any, places: Any) -> Any:
        """Build a number shifted by some places, with its sign from above."""
        return self._op("arith.shrsi", a, places)

    def compare(self, a: Any, predicate: str, b: Any) -> Any:
        """Build a comparison."""
        return self._compare("arith.cmpi", _INTEGER_PREDICATES[predicate], a, b)

    def _attribute(self, number: float) -> Any:
        half = 2 ** (self.width - 1)
        return self.ir.IntegerAttr.get(self.kind, (int(number) + half) % (2 * half) - half)


class Scalars(_Numbers):
    """Arithmetic on floats of one kind."""

    @property
    def bits(self) -> Integers:
        """Arithmetic on these floats' bits."""
        return Integers(self.ir, self.kind.width)

    def mul(self, a: Any, b: Any) -> Any:
        return self._op("arith.mulf", a, b)

    def add(self, a: Any, b: Any) -> Any:
        return self._op("arith.addf", a, b)

    def sub(self, a: Any, b: Any) -> Any:
        return self._op("arith.subf", a, b)

    def div(self, a: Any, b: Any) -> Any:
        return self._op("arith.divf", a, b)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        """Build a * b + c, rounded once where the machine can."""
        return self._op("math.fma", a, b, c)

    def rounded(self, a: Any, factor: float) -> tuple[Any, Any]:
        """Build the whole number next to a * factor, and an integer whose lowest bits are its own."""
        shifted = self.fma(a, factor, _ROUND[str(self.kind)])
        return self.sub(shifted, _ROUND[str(self.kind)]), self.bits.cast("arith.bitcast", shifted)

    def function(self, name: str, a: Any, attributes: Any = None) -> Any:
        """Build one of the math dialect's functions of a number."""
        return self.ir.Operation.create(name, [self.kind], [a], attributes).results[0]

    def negative(self, a: Any) -> Any:
        return self._op("arith.negf", a)

    def floor(self, a: Any) -> Any:
        return self._op("math.floor", a)

    def size(self, a: Any) -> Any:
        return self._op("math.absf", a)

    def signed(self, size: Any, sign: Any) -> Any:
        """Build a number of one's size and the other's sign."""
        return self._op("math.copysign", size, sign)

    def polynomial(self, x: Any, *coefficients: float) -> Any:
        """Build a polynomial, the constant term first, by Horner's rule."""
        value: Any = coefficients[-1]
        for coefficient in coefficients[-2::-1]:
            value = self.fma(value, x, coefficient)
        return value

    def compare(self, a: Any, predicate: str, b: Any) -> Any:
        """Build a comparison, false with a NaN."""
        return self._compare("arith.cmpf", _PREDICATES[predicate], a, b)

    def _attribute(self, number: float) -> Any:
        return self.ir.FloatAttr.get(self.kind, float(number))


def in_float64(op: Any, build: Callable[..., Any]) -> Any:
    """Build a function of an operation's float64 operands; None for another type."""
    ir = bindings(op).ir
    values = list(op.operands)
    return build(Scalars(ir, ir.F64Type.get()), *values) if str(values[0].type) == "f64" else None


def in_float32(op: Any, build: Callable[..., Any]) -> Any:
    """Build a function of an operation's operands, floats or halves, in float32; None for another type."""
    ir = bindings(op).ir
    f32 = Scalars(ir, ir.F32Type.get())
    values = list(op.operands)
    kind = values[0].type
    if str(kind) == "f32":
        return build(f32, *values)
    if str(kind) not in ("f16", "bf16"):
        return None
    wide = [f32.cast("arith.extf", value) for value in values]
    return Scalars(ir, kind).cast("arith.truncf", build(f32, *wide))
