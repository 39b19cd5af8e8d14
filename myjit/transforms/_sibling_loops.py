"""Merge loops that go through the same rows, of tensors in common, and do not need each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.bodies import copied, yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import user_within
from myjit.mlir.structured import several


@dataclass(eq=False)
class Sibling:
    """Loops of known extents that go through rows of tensors in order, by arithmetic alone.

    `rows` are the loops that are parallel.
    """

    operation: Any
    extents: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def reduces(self) -> bool:
        """Whether they reduce rows to one number each, whatever else they give."""
        return len(self.rows) < len(self.extents)


def merge_siblings(block: Any, wanted: Callable[[Sibling, Sibling], bool], *, reductions: bool) -> None:
    """Merge, in a block, reductions with each other, or with loops that are none, that are `wanted` together.

    With others, `wanted` is given the reduction first.
    """
    siblings = [each for op in block if (each := _sibling(op.operation)) is not None]
    if reductions:
        siblings = [each for each in siblings if each.reduces]
    count = 0
    while len(siblings) != count:
        count = len(siblings)
        siblings = _merged_once(block, siblings, wanted, reductions=reductions)


def _merged_once(
    block: Any, siblings: list[Sibling], wanted: Callable[[Sibling, Sibling], bool], *, reductions: bool
) -> list[Sibling]:
    """Go through loops once, merging each with one before it where that can be; return what is left."""
    view = _View(block)
    alike: dict[tuple[tuple[int, ...], bool], list[Sibling]] = defaultdict(list)
    for second in siblings:
        partners = alike[second.extents, second.reduces == reductions]
        for first in partners:
            pair = (first, second) if first.reduces else (second, first)
            after = view.place_for(first, second) if wanted(*pair) else None
            if after is not None:
                partners.remove(first)
                merged = _merge(first.operation, second.operation, after)
                alike[second.extents, True].append(Sibling(merged, pair[0].extents, pair[0].rows))
                view = _View(block)
                break
        else:
            alike[second.extents, second.reduces].append(second)
    return sorted((each for group in alike.values() for each in group), key=view.place)


class _View:
    """A block as it is until loops are merged."""

    def __init__(self, block: Any) -> None:
        self._block = block
        self._operations = [op.operation for op in block]
        self._places = {op: place for place, op in enumerate(self._operations)}
        self._inputs: dict[Sibling, set[Any]] = {}
        self._users: dict[Sibling, set[int]] = {}

    def place(self, sibling: Sibling) -> int:
        """Return the place of loops in the block."""
        return self._places[sibling.operation]

    def place_for(self, *pair: Sibling) -> Any:
        """Return the operation after which what a pair becomes can stand, None where they do not merge."""
        first, second = map(self._inputs_of, pair)
        if first.isdisjoint(second):
            return None
        after = max(self._place_of(value) for each in pair for value in each.operation.operands)
        # What leads from one to the other begins with a user.
        users = set().union(*map(self._users_of, pair))
        if not users or min(users) <= after or after < 0 or any(self.place(each) in users for each in pair):
            return None
        return self._operations[after]

    def _inputs_of(self, sibling: Sibling) -> set[Any]:
        if sibling not in self._inputs:
            self._inputs[sibling] = _inputs(sibling.operation)
        return self._inputs[sibling]

    def _users_of(self, sibling: Sibling) -> set[int]:
        if sibling not in self._users:
            uses = [use for result in sibling.operation.results for use in result.uses]
            self._users[sibling] = {self._places[user_within(self._block, use)] for use in uses}
        return self._users[sibling]

    def _place_of(self, value: Any) -> int:
        return self._places.get(getattr(value.owner, "operation", None), -1)


def _sibling(op: Any) -> Sibling | None:
    """Describe loops that go through rows of tensors in order, by arithmetic alone; None for others."""
    if op.name != "linalg.generic":
        return None
    loops = Loops(op)
    rows, extents = loops.parallel, loops.extents()
    if not rows or min(extents) < 1 or not loops.ends_in_rows():
        return None
    body = op.regions[0].blocks[0]
    known = {*body.arguments, *(result for each in body for result in each.operation.results)}
    taken = (value for each in body for value in each.operation.operands)
    if not all(value in known or _is_constant(value) for value in taken):
        return None
    along, whole = loops.along(), list(range(len(extents)))
    if whole not in along or any(each not in (rows, whole) for each in _written(op, along)):
        return None
    return Sibling(op, tuple(extents), tuple(rows))


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
        if owner is None or owner.name != "linalg.generic" or "reduction" in Loops(owner).iterators:
            continue
        new = set(_along(owner, Loops(owner), whole)) - found
        found |= new
        waiting += new
    return found


def _along(op: Any, loops: Loops, whole: list[int]) -> list[Any]:
    """Return what loops read of tensors that they go through element by element."""
    given = zip(_read(op, op.operands), _read(op, loops.along()), strict=True)
    return [value for value, along in given if along == whole]


def _merge(first: Any, second: Any, after: Any) -> Any:
    """Make one operation of two, and return it."""
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

    kinds = (first if "reduction" in Loops(first).iterators else second).attributes["iterator_types"]
    with ir.InsertionPoint.after(after), second.location:
        merged = several(inputs, inits, maps, kinds, body)
    for old, new in zip([result for op in both for result in op.results], merged, strict=True):
        old.replace_all_uses_with(new)
    for op in both:
        op.erase()
    return merged[0].owner.operation


def _read(op: Any, of_operands: Sequence[Any]) -> list[Any]:
    """Return, of something that there is for each operand of loops, what belongs to those they read."""
    return list(of_operands)[: -len(op.results)]


def _written(op: Any, of_operands: Sequence[Any]) -> list[Any]:
    """Return what belongs to the operands that loops write into."""
    return list(of_operands)[-len(op.results) :]
