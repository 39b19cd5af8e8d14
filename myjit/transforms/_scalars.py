"""Arithmetic on scalars, for passes that write functions out inside of loops."""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.tensors import constant

#: arith's comparisons of floats (ordered: false with a NaN).
_PREDICATES = {">": 2, "<": 4, "<=": 5}


class Integers:
    """Build arithmetic on the bits of floats; Python's integers are operands too."""

    def __init__(self, ir: Any, width: int) -> None:
        self.ir, self.width, self.kind = ir, width, ir.IntegerType.get_signless(width)

    def add(self, a: Any, b: Any) -> Any:
        return self._op("arith.addi", a, b)

    def both(self, a: Any, b: Any) -> Any:
        return self._op("arith.andi", a, b)

    def flipped(self, a: Any, b: Any) -> Any:
        return self._op("arith.xori", a, b)

    def shifted(self, a: Any, places: int) -> Any:
        return self._op("arith.shli", a, places)

    def differs(self, a: Any, b: Any) -> Any:
        bit, word = (self.ir.IntegerType.get_signless(n) for n in (1, 64))
        predicate = {"predicate": self.ir.IntegerAttr.get(word, 1)}  # arith's `ne`
        return self.ir.Operation.create(
            "arith.cmpi", [bit], [self._value(a), self._value(b)], predicate
        ).results[0]

    def cast(self, op: str, value: Any) -> Any:
        """Build an integer of this kind from another number."""
        return self.ir.Operation.create(op, [self.kind], [value]).results[0]

    def _value(self, a: Any) -> Any:
        return (
            constant(self.ir, self.kind, self.ir.IntegerAttr.get(self.kind, a)) if isinstance(a, int) else a
        )

    def _op(self, name: str, *operands: Any) -> Any:
        return self.ir.Operation.create(name, [self.kind], [self._value(a) for a in operands]).results[0]


class Scalars:
    """Build arithmetic on floats of one kind; Python's numbers are operands too."""

    def __init__(self, ir: Any, kind: Any) -> None:
        self.ir, self.kind = ir, kind
        self.bits = Integers(ir, int(str(kind)[1:]) if str(kind) != "bf16" else 16)

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
        number = self.ir.IntegerAttr.get(self.ir.IntegerType.get_signless(64), _PREDICATES[predicate])
        bit = self.ir.IntegerType.get_signless(1)
        operands = [self._value(a), self._value(b)]
        return self.ir.Operation.create("arith.cmpf", [bit], operands, {"predicate": number}).results[0]

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        operands = [condition, self._value(a), self._value(b)]
        return self.ir.Operation.create("arith.select", [self.kind], operands).results[0]

    def cast(self, op: str, value: Any) -> Any:
        """Build a number of this kind from one of another."""
        return self.ir.Operation.create(op, [self.kind], [value]).results[0]

    def _value(self, a: Any) -> Any:
        if not isinstance(a, (int, float)):
            return a
        return constant(self.ir, self.kind, self.ir.FloatAttr.get(self.kind, float(a)))

    def _op(self, name: str, *operands: Any) -> Any:
        return self.ir.Operation.create(name, [self.kind], [self._value(a) for a in operands]).results[0]


def in_float32(op: Any, build: Any) -> Any:
    """Build a function of one number in float32, of float32 or a half type; None for another type."""
    (value,) = op.operands
    ir = bindings(value).ir
    f32 = Scalars(ir, ir.F32Type.get())
    if str(value.type) == "f32":
        return build(f32, value)
    if str(value.type) not in ("f16", "bf16"):
        return None
    return Scalars(ir, value.type).cast("arith.truncf", build(f32, f32.cast("arith.extf", value)))
