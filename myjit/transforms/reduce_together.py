"""Reduce rows once for all that is added up of them: the two sums of a norm's gradient.

IREE makes a kernel of each, and what follows from both takes another one: rows go through memory three times.
One operation with several results leads to what follows, so that `fuse-rows` makes all of it one kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.bodies import copied, yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import user_within
from myjit.mlir.structured import several
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class ReduceTogether(FunctionPass):
    """Merge reductions along the same rows, made of a tensor in common, that do not need each other."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function in place."""
        for block in function.regions[0]:
            while (pair := next(_pairs(block), None)) is not None:
                _merge(*pair)


def _pairs(block: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield two reductions to merge, and the operation after which that can stand."""
    ops = [op.operation for op in block]
    places = {op: place for place, op in enumerate(ops)}
    found = [(op, Loops(op)) for op in ops if _reduces_rows(op)]
    for number, (second, its) in enumerate(found):
        for first, loops in found[:number]:
            if loops.extents() != its.extents() or loops.iterators != its.iterators:
                continue
            if not _inputs(first, loops) & _inputs(second, its):
                continue
            after = max(_place(places, value) for op in (first, second) for value in op.operands)
            users = [user_within(block, use) for op in (first, second) for use in op.results[0].uses]
            # What leads from the first to the second begins with a user of the first.
            if users and second not in users and min(places[user] for user in users) > after >= 0:
                yield first, second, ops[after]


def _reduces_rows(op: Any) -> bool:
    """Tell whether loops of known extents reduce rows of tensors to one number each, by arithmetic alone."""
    if op.name != "linalg.generic" or len(op.results) != 1:
        return False
    loops = Loops(op)
    parallel = loops.iterators.count("parallel")
    if loops.iterators != ["parallel"] * parallel + ["reduction"] or not parallel or min(loops.extents()) < 1:
        return False
    rows = list(range(parallel))
    body = op.regions[0].blocks[0]
    known = {*body.arguments, *(result for each in body for result in each.operation.results)}
    taken = (value for each in body for value in each.operation.operands)
    alone = all(value in known or value.owner.name == "arith.constant" for value in taken)
    return alone and loops.along()[-1] == rows and [*rows, parallel] in loops.along()


def _inputs(op: Any, loops: Loops) -> set[Any]:
    """Return the tensors that all rows are read of, or computed of, element by element."""
    *along, _ = loops.along()
    whole = list(range(len(loops.iterators)))
    waiting = [value for value, each in zip(op.operands, along, strict=False) if each == whole]
    found = set(waiting)
    while waiting:
        owner = getattr(waiting.pop().owner, "operation", None)
        if owner is None or owner.name != "linalg.generic" or "reduction" in Loops(owner).iterators:
            continue
        *along, _ = Loops(owner).along()
        new = {value for value, each in zip(owner.operands, along, strict=False) if each == whole} - found
        found |= new
        waiting += new
    return found


def _place(places: dict[Any, int], value: Any) -> int:
    return places.get(getattr(value.owner, "operation", None), -1)


def _merge(first: Any, second: Any, after: Any) -> None:
    ir = bindings(first).ir
    both = (first, second)
    (*inputs, one), (*others, two) = (list(op.operands) for op in both)
    maps = [each for op in both for each in Loops(op).maps()[:-1]]
    maps += [Loops(op).maps()[-1] for op in both]

    def body(_: Any, *elements: Any) -> list[Any]:
        *read, total, other = elements
        split = len(inputs)
        sides = ((first, (*read[:split], total)), (second, (*read[split:], other)))
        return [copied(op, yielded(op), each) for op, each in sides]

    with ir.InsertionPoint.after(after), second.location:
        merged = several([*inputs, *others], [one, two], maps, first.attributes["iterator_types"], body)
    for op, new in zip(both, merged, strict=True):
        op.results[0].replace_all_uses_with(new)
        op.erase()
