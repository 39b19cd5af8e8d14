"""What the loops around a product compute, a vector of its columns at a time.

A kernel that multiplies matrices by itself computes with this what IREE has fused into the product's
dispatch: biases, activations, residual sums, conversions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.bodies import yielded
from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.tensors import constant
from myjit.mlir.vector_code import Index, VectorCode

LOAD = "iree_codegen.load_from_buffer"
#: What a dimension of one element lies along, in place of a loop.
SINGLE = -1
#: Integer operations that end the process where a column that does not exist stands for a zero.
_DIVISIONS = ("arith.div", "arith.rem", "arith.ceildiv", "arith.floordiv")
_FLOATS = ("arith.divf", "arith.remf")
#: What memory holds as it is: IREE changes the type of others (truth values) later on.
_ELEMENTS = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8")


@dataclass(frozen=True)
class Place:
    """Where tensors are computed: an index for each loop of the product, of the inner one the first.

    `mask` tells which of a vector's places exist, None if all do; `total` is what the product comes to there.
    """

    indices: dict[int, Index]
    mask: Any
    total: Any


def has_rows(memory: Any) -> bool:
    """Tell whether what lies along a memory's last dimension lies one after the other, as it is."""
    strides, _ = bindings(memory).ir.MemRefType(memory.type).get_strides_and_offset()
    return _is_plain(memory) and (not strides or strides[-1] == 1)


def _is_plain(memory: Any) -> bool:
    return str(bindings(memory).ir.MemRefType(memory.type).element_type) in _ELEMENTS


def loops_after(product: Any, along: Sequence[int]) -> dict[Any, list[int]]:
    """Return the tensors computed from a product's result, with the product's loop along each dimension."""
    found = {product.results[0]: list(along)}
    for op in (op.operation for op in product.parent.regions[0].blocks[0]):
        if op.name != "linalg.generic" or op == product:
            continue
        dims = Loops(op).along()
        known: dict[int, int] = {}
        for value, loops in zip(op.operands, dims, strict=True):
            if value in found:
                known.update(zip(loops, found[value], strict=True))
        for result, loops in zip(op.results, dims[-len(op.results) :], strict=True):
            if known and all(loop in known for loop in loops):
                found[result] = [known[loop] for loop in loops]
    return found


class TileValues:
    """Tells whether tensors can be computed by vectors along the loop `inner` of a product, and does so."""

    def __init__(self, product: Any, inner: int) -> None:
        self.product = product
        self.inner = inner

    def can(self, tensor: Any, along: Sequence[int]) -> bool:
        """Tell whether a tensor that lies along these loops of the product can be computed."""
        op = tensor.owner.operation
        if op == self.product or op.name == "linalg.fill":
            return True
        if op.name == LOAD:
            if self.inner not in along:
                return _is_plain(op.operands[0])
            return self.inner not in along[:-1] and has_rows(op.operands[0])
        loops = Loops(op)
        if op.name != "linalg.generic" or "reduction" in loops.iterators or not loops.is_plain():
            return False
        inputs = _inputs(op, tensor, along)
        return _has_vector_body(op) and all(loops and self.can(value, loops) for value, loops in inputs)

    def build(self, code: VectorCode, tensor: Any, along: Sequence[int], at: Place) -> Any:
        """Build the vector of a tensor that lies along these loops of the product."""
        op = tensor.owner.operation
        if op == self.product:
            return at.total
        if op.name == "linalg.fill":
            return code.splat(op.operands[0])
        if op.name == LOAD:
            place = [at.indices[loop] for loop in along]
            if self.inner in along:
                return code.load(op.operands[0], place, at.mask)
            return code.splat(code.element(op.operands[0], place))
        inputs = [self.build(code, value, loops, at) for value, loops in _inputs(op, tensor, along)]
        return _build_body(code, op, tensor, inputs)


def _inputs(op: Any, tensor: Any, along: Sequence[int]) -> list[tuple[Any, list[int]]]:
    """Return what an operation reads for a result of it that lies along these loops, and along which it lies.

    Empty lists stand for what lies along others, and for scalars.
    """
    dims, results = Loops(op).along(), list(op.results)
    count = len(op.operands) - len(results)
    known = {SINGLE: SINGLE, **dict(zip(dims[count + results.index(tensor)], along, strict=True))}
    return [
        (value, [known[loop] for loop in loops] if all(loop in known for loop in loops) else [])
        for value, loops in zip(list(op.operands)[:count], dims, strict=False)
    ]


def _has_vector_body(op: Any) -> bool:
    """Tell whether an operation computes by arithmetic of its inputs' elements, and of constants."""
    block = op.regions[0].blocks[0]
    arguments = list(block.arguments)
    if any(list(old.uses) for old in arguments[len(op.operands) - len(op.results) :]):
        return False
    inside = [each.operation for each in block][:-1]
    if not all(each.name.startswith(("arith.", "math.")) for each in inside):
        return False
    if any(each.name.startswith(_DIVISIONS) and each.name not in _FLOATS for each in inside):
        return False
    defined = {*arguments, *(result for each in inside for result in each.results)}
    used = {operand for each in inside for operand in each.operands} | {yielded(op)}
    return all(constant_of(value) is not None for value in used - defined)


def _build_body(code: VectorCode, op: Any, tensor: Any, inputs: Sequence[Any]) -> Any:
    """Build an operation's body anew, of vectors."""
    block = op.regions[0].blocks[0]
    known = dict(zip(list(block.arguments)[: len(inputs)], inputs, strict=True))

    def vector(value: Any) -> Any:
        if value not in known:
            known[value] = code.splat(value)
        return known[value]

    for each in [each.operation for each in block][:-1]:
        kinds = [code.vector(result.type) for result in each.results]
        attributes = {name: each.attributes[name] for name in each.attributes}
        if each.name == "arith.constant":
            splat = code.ir.DenseElementsAttr.get_splat(kinds[0], attributes["value"])
            known[each.results[0]] = constant(code.ir, kinds[0], splat)
        else:
            operands = [vector(operand) for operand in each.operands]
            made = code.ir.Operation.create(each.name, kinds, operands, attributes)
            known.update(zip(each.results, made.results, strict=True))
    return vector(yielded(op, list(op.results).index(tensor)))
