"""What bodies of loops compute that vectors compute alike, by the same operations."""

from __future__ import annotations

from typing import Any

from myjit.mlir.bodies import EXTRACT

_ARITH = (
    *("addf", "subf", "mulf", "divf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf", "cmpf", "select"),
    *("addi", "subi", "muli", "andi", "ori", "xori", "cmpi", "maxsi", "minsi", "maxui", "minui"),
    *("extf", "truncf", "extsi", "extui", "trunci", "sitofp", "uitofp", "bitcast", "constant"),
)
_ALLOWED = frozenset((*(f"arith.{name}" for name in _ARITH), "math.absf", "math.sqrt", "math.copysign"))
#: Operations at most, for code is written out once for each vector of a row.
_MOST = 48
#: Not the half types, whose roundings within a kernel are a matter of `keep-roundings`.
_TYPES = ("f64", "f32", "i64", "i32", "i16", "i8", "i1")


def finds(op: Any) -> bool:
    """Tell whether an operation finds an element, or computes an index, rather than computing of elements."""
    return op.name == EXTRACT or [str(result.type) for result in op.results] == ["index"]


def is_arithmetic(op: Any, *, indexed: bool = False) -> bool:
    """Tell whether a `linalg.generic` of one result computes it by a few operations on single elements.

    Those that it finds by indices count as such if `indexed`.
    """
    (block,) = op.regions[0].blocks
    *body, end = (each.operation for each in block)
    if indexed:
        body = [each for each in body if not finds(each)]
    count = len(block.arguments)
    if list(block.arguments[count - 1].uses) or len(end.operands) != 1:
        return False
    values = [*end.operands, *(value for each in body for value in (*each.operands, *each.results))]
    if len(body) > _MOST or any(each.name not in _ALLOWED for each in body):
        return False
    return all(str(value.type) in _TYPES for value in values)
