"""Merge loops that go through the same rows, of tensors in common, and do not need each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from myjit.mlir.bodies import copied, yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import user_within
from myjit.mlir.structured import several


def merge_siblings(block: Any, wanted: Callable[[Any, Any], bool]) -> None:
    """Merge, in a block, pairs of loops over the same rows that are `wanted`."""
    while (pair := next(_pairs(block, wanted), None)) is not None:
        _merge(*pair)


def reduces(op: Any) -> bool:
    """Tell whether loops reduce rows to one number each, whatever else they give."""
    return "reduction" in Loops(op).iterators


def _pairs(block: Any, wanted: Callable[[Any, Any], bool]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield two operations to merge, and the one after which what they become can stand."""
    ops = [op.operation for op in block]
    places = {op: place for place, op in enumerate(ops)}
    alike: dict[tuple[int, ...], list[Any]] = defaultdict(list)
    inputs = cache(_inputs)
    for second in filter(_goes_through_rows, ops):
        others = alike[tuple(Loops(second).extents())]
        for first in others:
            if not _have_rows_in_common(first, second) or not wanted(first, second):
                continue
            if inputs(first).isdisjoint(inputs(second)):
                continue
            after = max(_place(places, value) for op in (first, second) for value in op.operands)
            users = [
                user_within(block, use)
                for op in (first, second)
                for result in op.results
                for use in result.uses
            ]
            # What leads from the first to the second begins with a user of the first.
            if users and second not in users and min(places[user] for user in users) > after >= 0:
                yield first, second, ops[after]
        others.append(second)


def _goes_through_rows(op: Any) -> bool:
    """Tell whether loops of known extents go through rows of tensors in order, by arithmetic alone."""
    if op.name != "linalg.generic":
        return False
    loops = Loops(op)
    rows = loops.parallel
    if not rows or min(loops.extents()) < 1 or not loops.ends_in_rows():
        return False
    body = op.regions[0].blocks[0]
    known = {*body.arguments, *(result for each in body for result in each.operation.results)}
    taken = (value for each in body for value in each.operation.operands)
    if not all(value in known or _is_constant(value) for value in taken):
        return False
    whole = list(range(len(loops.iterators)))
    return all(each in (rows, whole) for each in _written(op, loops.along())) and whole in loops.along()


def _have_rows_in_common(first: Any, second: Any) -> bool:
    """Tell whether loops of the same extents reduce the same of them, where both do."""
    return not (reduces(first) and reduces(second)) or Loops(first).parallel == Loops(second).parallel


def _is_constant(value: Any) -> bool:
    """Tell whether a value is a constant, not what an operation computes or a block is given."""
    return getattr(value.owner, "name", "") == "arith.constant"


def _inputs(op: Any) -> set[Any]:
    """Return the tensors that all rows are read of, or computed of, element by element."""
    loops = Loops(op)
    whole = list(range(len(loops.iterators)))
    waiting = _along(op, loops, whole)
    found = set(waiting)
    while waiting:
        owner = getattr(waiting.pop().owner, "operation", None)
        if owner is None or owner.name != "linalg.generic" or reduces(owner):
            continue
        new = set(_along(owner, Loops(owner), whole)) - found
        found |= new
        waiting += new
    return found


def _along(op: Any, loops: Loops, whole: list[int]) -> list[Any]:
    """Return what loops read of tensors that they go through element by element."""
    given = zip(_read(op, op.operands), _read(op, loops.along()), strict=True)
    return [value for value, along in given if along == whole]


def _place(places: dict[Any, int], value: Any) -> int:
    return places.get(getattr(value.owner, "operation", None), -1)


def _merge(first: Any, second: Any, after: Any) -> None:
    ir = bindings(first).ir
    both = (first, second)
    inputs = [value for op in both for value in _read(op, op.operands)]
    inits = [value for op in both for value in _written(op, op.operands)]
    maps = [each for op in both for each in _read(op, Loops(op).maps())]
    maps += [each for op in both for each in _written(op, Loops(op).maps())]

    def body(_: Any, *elements: Any) -> list[Any]:
        read, written = iter(elements[: len(inputs)]), iter(elements[len(inputs) :])
        given = []
        for op in both:
            taken = [next(read) for _ in _read(op, op.operands)] + [next(written) for _ in op.results]
            given += [copied(op, yielded(op, result), taken) for result in range(len(op.results))]
        return given

    kinds = (first if reduces(first) else second).attributes["iterator_types"]
    with ir.InsertionPoint.after(after), second.location:
        merged = several(inputs, inits, maps, kinds, body)
    for old, new in zip([result for op in both for result in op.results], merged, strict=True):
        old.replace_all_uses_with(new)
    for op in both:
        op.erase()


def _read(op: Any, of_operands: Sequence[Any]) -> list[Any]:
    """Return, of something that there is for each operand of loops, what belongs to those they read."""
    return list(of_operands)[: -len(op.results)]


def _written(op: Any, of_operands: Sequence[Any]) -> list[Any]:
    """Return what belongs to the operands that loops write into."""
    return list(of_operands)[-len(op.results) :]
