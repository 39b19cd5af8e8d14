"""Compute reductions of what is the same at every step by how many steps there are: IREE takes one step.

MLIR's vectorizer reduces vectors, and takes a number that no step changes for one that is reduced already:
`(x == x).sum()` of integers came out as 1, `(x * 0 + 3).sum(1)` as 3 (IREE 3.13, on every target, without a
word). Such reductions are what is left where all that depends on the elements was folded. Remove when
tests/transforms/test_count_invariants.py passes without this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.errors import PassError
from myjit.mlir.bodies import copied, needed, yielded
from myjit.mlir.context import bindings
from myjit.mlir.diagnostics import from_location
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.reductions import SELECTIONS
from myjit.mlir.structured import looped
from myjit.mlir.tensors import constant, index, size
from myjit.passes.base import Pass

#: What gives a multiple of the number, or a power.
_MULTIPLES = {"arith.addi": "arith.muli", "arith.addf": "arith.mulf"}
_POWERS = ("arith.muli", "arith.mulf")


@dataclass(frozen=True)
class CountInvariants(Pass):
    """Replace reductions of what is the same at every step by one step."""

    def run(self, module: Any) -> None:
        """Rewrite the loops of dispatches in place.

        Raises:
            PassError: naming a reduction of such numbers for which this knows no other way.
        """
        for op in list(operations(module.operation)):
            if op.name != "linalg.generic" or "reduction" not in Loops(op).iterators:
                continue
            if not all(_is_combined(op, number) for number in range(len(op.results))):
                continue  # the vectorizer leaves it alone: one with the places of extremes
            invariants = [_invariant(op, number) for number in range(len(op.results))]
            if any(value is not None for value in invariants):
                with bindings(op).ir.InsertionPoint(op), op.location:
                    steps = _Steps.of(op)
                if len(invariants) > 1 or not steps.are_counted():
                    message = "IREE would take what every step reduces alike for reduced"
                    raise PassError(message, diagnostics=(from_location("error", message, str(op.location)),))
                _replace(op, invariants[0], steps)


@dataclass(frozen=True)
class _Steps:
    """How often a reduction takes in the same number: `combiner` does."""

    combiner: Any
    count: Any  # a number, or an index value

    @staticmethod
    def of(op: Any) -> _Steps:
        """Count the steps of a reduction of one result, at the current insertion point."""
        loops = Loops(op)
        extents = loops.extents()
        reduced = [loop for loop, kind in enumerate(loops.iterators) if kind == "reduction"]
        combiner = yielded(op).owner.operation
        ir = bindings(op).ir
        count: Any = math.prod(extents[loop] for loop in reduced if extents[loop] >= 0)
        for loop in (each for each in reduced if extents[each] < 0):
            factors = [index(ir, count) if isinstance(count, int) else count, _size(op, loop)]
            count = ir.Operation.create("arith.muli", [ir.IndexType.get()], factors).results[0]
        return _Steps(combiner, count)

    def are_counted(self) -> bool:
        """Tell whether there is another way to take a number in so many times."""
        name = self.combiner.name
        return name in SELECTIONS or name in _MULTIPLES or (name in _POWERS and isinstance(self.count, int))

    def taken_into(self, total: Any, one: Any, value: Any) -> Any:
        """Build what `total` becomes by so many of `one`, which stands for the combiner's operand `value`."""
        ir = bindings(one).ir
        name, kind = self.combiner.name, one.type
        if name in _MULTIPLES:
            one = ir.Operation.create(_MULTIPLES[name], [kind], [one, self._number(ir, kind)]).results[0]
        elif name in _POWERS and self.count:
            one = self._power(one)
        copy = self.combiner.clone()
        for place, operand in enumerate(self.combiner.operands):
            copy.operands[place] = one if operand == value else total
        if isinstance(self.count, int):
            return copy.results[0] if self.count else total
        boolean, none = ir.IntegerType.get_signless(1), index(ir, 0)
        differs = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1)}
        some = ir.Operation.create("arith.cmpi", [boolean], [self.count, none], differs).results[0]
        return ir.Operation.create("arith.select", [kind], [some, copy.results[0], total]).results[0]

    def _number(self, ir: Any, kind: Any) -> Any:
        if isinstance(self.count, int):
            if isinstance(kind, ir.FloatType):
                return constant(ir, kind, ir.FloatAttr.get(kind, self.count))
            half = 2 ** (kind.width - 1)
            return constant(ir, kind, ir.IntegerAttr.get(kind, (self.count + half) % (2 * half) - half))
        if not isinstance(kind, ir.FloatType):
            return ir.Operation.create("arith.index_cast", [kind], [self.count]).results[0]
        word = ir.IntegerType.get_signless(64)
        whole = ir.Operation.create("arith.index_cast", [word], [self.count]).results[0]
        return ir.Operation.create("arith.sitofp", [kind], [whole]).results[0]

    def _power(self, one: Any) -> Any:
        """Build the product of all steps by squares."""
        create = bindings(one).ir.Operation.create
        result, square, left = None, one, self.count
        while left:
            if left % 2:
                factors = [square if result is None else result, square]
                result = (
                    square if result is None else create(self.combiner.name, [one.type], factors).results[0]
                )
            left //= 2
            if left:
                square = create(self.combiner.name, [one.type], [square, square]).results[0]
        return result


def _size(op: Any, loop: int) -> Any:
    """Build how often a loop runs: the size of a tensor along it."""
    for tensor, along in zip(op.operands, Loops(op).along(), strict=True):
        if loop in along:
            return size(tensor, along.index(loop))
    raise AssertionError("a loop goes along no tensor")


def _totals(op: Any) -> list[Any]:
    elements = list(op.regions[0].blocks[0].arguments)
    return elements[len(elements) - len(op.results) :]


def _is_combined(op: Any, number: int) -> bool:
    """Tell whether a result is what one operation makes of its last value and another."""
    combiner = getattr(yielded(op, number).owner, "operation", None)
    return combiner is not None and len(combiner.operands) == 2 and _totals(op)[number] in combiner.operands


def _invariant(op: Any, number: int) -> Any:
    """Return the number that a reduction takes in at every step alike, None where it takes in others."""
    elements = list(op.regions[0].blocks[0].arguments)
    first, second = yielded(op, number).owner.operation.operands
    value = second if first == _totals(op)[number] else first
    steps = needed(op, value)
    taken = {value, *(operand for each in steps for operand in each.operands)}
    varying = set(elements) - {elements[place] for place in _single(op)}
    return None if taken & varying or any(each.name == "linalg.index" for each in steps) else value


def _single(op: Any) -> list[int]:
    """Return which of the tensors that are read give the same element at every step."""
    ir = bindings(op).ir
    read = Loops(op).maps()[: len(op.operands) - len(op.results)]
    return [
        place
        for place, map_ in enumerate(read)
        if all(isinstance(each, ir.AffineConstantExpr) for each in map_.results)
    ]


def _replace(op: Any, value: Any, steps: _Steps) -> None:
    """Have parallel loops take in at once what the reduction takes in step by step."""
    along = Loops(op).along()
    single = _single(op)
    init = op.operands[len(op.operands) - 1]

    def compute(_: Any, *elements: Any) -> Any:
        known = dict(zip(single, elements, strict=False))
        total = elements[-1]
        one = copied(op, value, [known.get(place, total) for place in range(len(op.operands))])
        return steps.taken_into(total, one, value)

    with bindings(op).ir.InsertionPoint(op), op.location:
        order = list(range(len(along[-1])))
        places = [*(along[place] for place in single), order]
        new = looped(["parallel"] * len(order), [op.operands[i] for i in single], init, places, compute)
    op.results[0].replace_all_uses_with(new)
    op.erase()
