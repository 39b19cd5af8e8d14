"""The body of a linalg operation, computed for a vector of its elements at a time."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from myjit.mlir.bodies import EXTRACT, needed, yielded
from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.tensors import constant
from myjit.mlir.tile_memories import LOAD, has_rows
from myjit.mlir.vector_code import VectorCode

#: Operations that give the index of a loop, and add up multiples of indices.
_INDEX, _APPLY = "linalg.index", "affine.apply"
#: Integer operations that end the process where a column that does not exist stands for a zero.
_DIVISIONS = ("arith.div", "arith.rem", "arith.ceildiv", "arith.floordiv")
_FLOATS = ("arith.divf", "arith.remf")


def has_vector_body(op: Any, loops: Container[int]) -> bool:
    """Tell whether an operation computes by arithmetic alone, and by looking elements up in memory.

    Of its inputs' elements, constants, and the indices of these loops.
    """
    block = op.regions[0].blocks[0]
    arguments = list(block.arguments)
    if any(list(old.uses) for old in arguments[len(op.operands) - len(op.results) :]):
        return False
    inside = [each.operation for each in block][:-1]
    if not all(_is_vector_code(each, loops) for each in inside):
        return False
    known = {*arguments, *(result for each in inside for result in each.results)}
    known |= {each.operands[0] for each in inside if each.name == EXTRACT}
    used = {operand for each in inside for operand in each.operands} | {yielded(op)}
    return all(constant_of(value) is not None for value in used - known)


def _is_vector_code(each: Any, loops: Container[int]) -> bool:
    if each.name == EXTRACT:
        table = each.operands[0].owner
        return getattr(table, "name", "") == LOAD and has_rows(table.operands[0])
    if each.name == _INDEX:
        return _dim(each) in loops
    if each.name == _APPLY:
        return _is_linear(bindings(each).ir, _map(each).results[0])
    if each.name.startswith(_DIVISIONS) and each.name not in _FLOATS:
        return False
    return each.name.startswith(("arith.", "math."))


def build_body(
    code: VectorCode,
    op: Any,
    result: int,
    inputs: Sequence[Any],
    *,
    index: Callable[[int], Any],
    mask: Any,
) -> Any:
    """Build a vector of what an operation gives as one of its results, from vectors of its inputs.

    `index` gives the vector of a loop's indices, `mask` tells which elements exist (None if all do).
    """
    known = dict(zip(list(op.regions[0].blocks[0].arguments)[: len(inputs)], inputs, strict=True))

    def vector(value: Any) -> Any:
        if value not in known:
            known[value] = code.splat(value)
        return known[value]

    for each in needed(op, yielded(op, result)):
        kinds = [code.vector(value.type) for value in each.results]
        if each.name == "arith.constant":
            splat = code.ir.DenseElementsAttr.get_splat(kinds[0], each.attributes["value"])
            made = [constant(code.ir, kinds[0], splat)]
        elif each.name == _INDEX:
            made = [index(_dim(each))]
        elif each.name == _APPLY:
            made = [_linear(code, _map(each), _map(each).results[0], [*map(vector, each.operands)])]
        elif each.name == EXTRACT:
            table, *places = list(each.operands)
            made = [_looked_up(code, table.owner.operands[0], [*map(vector, places)], mask)]
        else:
            attributes = {name: each.attributes[name] for name in each.attributes}
            made = code.ir.Operation.create(
                each.name, kinds, [*map(vector, each.operands)], attributes
            ).results
        known.update(zip(each.results, made, strict=True))
    return vector(yielded(op, result))


def _looked_up(code: VectorCode, memory: Any, places: Sequence[Any], mask: Any) -> Any:
    """Look a vector of elements up in a memory, at vectors of indices along its dimensions."""
    return code.gather(memory, lambda lane: [code.lane(place, lane) for place in places], mask)


def _dim(each: Any) -> int:
    """Return the number of the loop whose index an operation gives."""
    return bindings(each).ir.IntegerAttr(each.attributes["dim"]).value


def _map(each: Any) -> Any:
    """Return the map that an operation applies to indices: dimensions, then symbols."""
    return bindings(each).ir.AffineMapAttr(each.attributes["map"]).value


def _is_linear(ir: Any, expression: Any) -> bool:
    """Tell whether an expression only adds and multiplies."""
    if isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return _is_linear(ir, expression.lhs) and _is_linear(ir, expression.rhs)
    return isinstance(expression, ir.AffineConstantExpr | ir.AffineDimExpr | ir.AffineSymbolExpr)


def _linear(code: VectorCode, map_: Any, expression: Any, values: Sequence[Any]) -> Any:
    """Build the vector of a linear expression's values."""
    ir = code.ir
    if isinstance(expression, ir.AffineConstantExpr):
        return code.splat(code.index(expression.value))
    if isinstance(expression, ir.AffineDimExpr):
        return values[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return values[map_.n_dims + expression.position]
    sides = [_linear(code, map_, side, values) for side in (expression.lhs, expression.rhs)]
    name = "arith.addi" if isinstance(expression, ir.AffineAddExpr) else "arith.muli"
    return code.op(name, [sides[0].type], sides)
