"""What the loops around a product compute, a vector of its columns at a time.

A kernel that multiplies matrices by itself computes with this what IREE has fused into the product's
dispatch: biases, activations, residual sums, conversions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.bodies import EXTRACT
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.sums_of_products import go_on
from myjit.mlir.tile_memories import LOAD, has_rows, is_plain
from myjit.mlir.vector_bodies import build_body, has_vector_body
from myjit.mlir.vector_code import Index, VectorCode

#: What a dimension of one element lies along, in place of a loop.
SINGLE = -1
#: What a body asks for the places that it computes by.
_TELL_PLACES = ("linalg.index", EXTRACT)


@dataclass(frozen=True)
class Place:
    """Where tensors are computed: an index for each loop of the product, of the inner one the first.

    `mask` tells which of a vector's places exist, None if all do; `total` is what the product comes to there.
    """

    indices: dict[int, Index]
    mask: Any
    total: Any


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
            if self.inner in along:
                return has_rows(op.operands[0]) and self._distance(op.operands[0], along) > 0
            return is_plain(op.operands[0])
        loops = Loops(op)
        if op.name != "linalg.generic" or "reduction" in loops.iterators or not loops.is_plain():
            return False
        known = _known(op, tensor, along)
        return has_vector_body(op, known) and all(
            reads is not None and self.can(value, reads) for value, reads in _inputs(op, known)
        )

    def goes_on(
        self, tensor: Any, along: Sequence[int], loops: Sequence[int], extents: Sequence[int]
    ) -> bool:
        """Tell whether a tensor that can be computed is so along some loops as along one loop.

        What it reads lies along all of them, each step as far from the next, or along none.
        """
        op = tensor.owner.operation
        if op == self.product or op.name == "linalg.fill":
            return True
        if op.name == LOAD:
            return not {*loops} & {*along} or lies_on(op.operands[0], along, loops, extents)
        known = _known(op, tensor, along)
        return all(each.name not in _TELL_PLACES for each in op.regions[0].blocks[0]) and all(
            self.goes_on(value, reads or (), loops, extents) for value, reads in _inputs(op, known)
        )

    def build(self, code: VectorCode, tensor: Any, along: Sequence[int], at: Place) -> Any:
        """Build the vector of a tensor that lies along these loops of the product."""
        op = tensor.owner.operation
        if op == self.product:
            return at.total
        if op.name == "linalg.fill":
            return code.splat(op.operands[0])
        if op.name == LOAD:
            place = [at.indices[loop] for loop in along]
            if self.inner not in along:
                return code.splat(code.element(op.operands[0], place))
            return self._load(code, op.operands[0], place, along, at.mask)
        known = _known(op, tensor, along)
        inputs = [self.build(code, value, loops or (), at) for value, loops in _inputs(op, known)]
        return build_body(
            code,
            op,
            list(op.results).index(tensor),
            inputs,
            index=lambda dim: self._index(code, known[dim], at),
            mask=at.mask,
        )

    def _load(
        self, code: VectorCode, memory: Any, place: list[Index], along: Sequence[int], mask: Any
    ) -> Any:
        distance = self._distance(memory, along)
        if distance == 1:
            return code.load(memory, place, mask)
        return code.gather(memory, lambda lane: [*place[:-1], code.add(place[-1], lane * distance)], mask)

    def _index(self, code: VectorCode, loop: int, at: Place) -> Any:
        place = code.index(at.indices[loop])
        return code.counted(place) if loop == self.inner else code.splat(place)

    def _distance(self, memory: Any, along: Sequence[int]) -> int:
        """Return how many elements apart two steps along `inner` are; 0 if that is not known."""
        ir = bindings(memory).ir
        strides, _ = ir.MemRefType(memory.type).get_strides_and_offset()
        steps = [stride for stride, loop in zip(strides, along, strict=True) if loop == self.inner]
        return 0 if ir.ShapedType.get_dynamic_stride_or_offset() in steps else sum(steps)


def lies_on(memory: Any, along: Sequence[int], loops: Sequence[int], extents: Sequence[int]) -> bool:
    """Tell whether a memory that lies along loops does so along some of them as along one loop."""
    strides, _ = bindings(memory).ir.MemRefType(memory.type).get_strides_and_offset()
    lies = dict(zip(along, strides, strict=True))
    return all(loop in lies for loop in loops) and go_on(lies, extents, loops)


def _known(op: Any, tensor: Any, along: Sequence[int]) -> dict[int, int]:
    """Return the product's loops that an operation's are, for a result of it that lies along these."""
    results = list(op.results)
    dims = Loops(op).along()[len(op.operands) - len(results) + results.index(tensor)]
    return {SINGLE: SINGLE, **dict(zip(dims, along, strict=True))}


def _inputs(op: Any, known: dict[int, int]) -> list[tuple[Any, list[int] | None]]:
    """Return what an operation reads, and which loops of the product it lies along.

    None stands for what lies along others, and for numbers that are no tensors.
    """
    ir = bindings(op).ir

    def lies(value: Any, loops: list[int]) -> list[int] | None:
        is_known = isinstance(value.type, ir.RankedTensorType) and all(loop in known for loop in loops)
        return [known[loop] for loop in loops] if is_known else None

    count = len(op.operands) - len(op.results)
    reads = zip(list(op.operands)[:count], Loops(op).along(), strict=False)
    return [(value, lies(value, loops)) for value, loops in reads]
