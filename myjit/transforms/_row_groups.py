"""Find operations that go through the same rows of tensors, so that one kernel can take a row at a time.

Operations are known by their place in a block: the bindings' own hash of one changes with its operands.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Any

from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations, user_within
from myjit.mlir.regions import PURE

#: Rows from which on each thread has some.
MANY_ROWS = 64
#: Reductions that read one another in turn, at most: IREE computes what two of them read for each anew, with
#: what that is made of; kernels of eighteen norms one behind the other took it more than ten minutes.
_DEEPEST = 6


@dataclass(eq=False)
class RowGroup:
    """Operations over the same tensors of a `shape`, whose dimensions `kept` are those of rows.

    Each adds up the rows' elements or the like, or goes through the rows, or through all elements, one by
    one. `before` are the groups whose results are read.
    """

    shape: tuple[int, ...]
    kept: tuple[int, ...]
    members: set[int] = field(default_factory=set)
    before: set[RowGroup] = field(default_factory=set)

    @property
    def rows(self) -> tuple[int, ...]:
        """How many rows there are, along each of their dimensions."""
        return tuple(self.shape[each] for each in self.kept)


@dataclass(frozen=True)
class _Loops:
    """Loops, the places of those that are parallel; by what is read, the loops along its dimensions."""

    extents: tuple[int, ...]
    parallel: tuple[int, ...]
    reads: list[tuple[int, list[int]]]

    @property
    def reduces(self) -> bool:
        return len(self.parallel) < len(self.extents)

    def fit(self, group: RowGroup) -> bool:
        """Tell whether they are a group's, and find each row computed there in their own."""
        if self.reduces:
            fits = (self.extents, self.parallel) == (group.shape, group.kept)
        else:
            fits = self.extents in (group.rows, group.shape)
        return fits and self.keep_rows(group.members, group)

    def keep_rows(self, sources: Set[int], group: RowGroup) -> bool:
        """Tell whether what they read of some sources lies in the order of a group."""
        orders = [list(range(len(self.extents)))]
        if self.extents == group.shape:
            orders.append(list(group.kept))
        return all(along in orders for source, along in self.reads if source in sources)


class Block:
    """The operations of a block, sorted into groups of several reductions each.

    No path leads out of a group and back in: it can be computed in one go.
    """

    def __init__(self, block: Any) -> None:
        self.operations = [op.operation for op in block]
        self._places = {op: place for place, op in enumerate(self.operations)}
        self._captured = [self._known(_captured(op)) for op in self.operations]
        self._loops = [self._loops_of(op) for op in self.operations]
        self._sources = list(self._dependencies())
        self._of: dict[int, RowGroup] = {}
        self._behind: list[Set[RowGroup]] = []
        for place in range(len(self.operations)):
            self._forward(place)
        self._take_in_what_one_group_reads()
        groups = list(dict.fromkeys(self._of.values()))
        for group in groups:  # what is left of one comes last
            left = self._leave_out_what_stands_beside(group)
            if self._reductions(left):
                groups.append(RowGroup(group.shape, group.kept, left))
        self.groups = [group for group in groups if self._gains(group)]

    def schedule(self) -> list[tuple[list[int], bool]]:
        """Return the operations, a group's together, each after what it depends on; tell which are groups."""
        unit = {member: index for index, group in enumerate(self.groups, 1) for member in group.members}
        of = [-unit.get(place, -place) for place in range(len(self.operations))]  # groups are negative
        units: dict[int, list[int]] = {}
        for place, name in enumerate(of):
            units.setdefault(name, []).append(place)
        waits = {u: {of[s] for p in places for s in self._sources[p]} - {u} for u, places in units.items()}
        readers: dict[int, list[int]] = {u: [] for u in units}
        for u, sources in waits.items():
            for source in sources:
                readers[source].append(u)
        ready = [(places[-1], u) for u, places in units.items() if not waits[u]]
        heapq.heapify(ready)
        order = []
        while ready:
            _, u = heapq.heappop(ready)
            order.append((units[u], u < 0))
            for reader in readers[u]:
                waits[reader].remove(u)
                if not waits[reader]:
                    heapq.heappush(ready, (units[reader][-1], reader))
        return order

    def results(self, places: list[int]) -> list[tuple[Any, list[Any]]]:
        """Return the values of a group that others read, with the uses there."""
        found = []
        for place in places:
            for value in self.operations[place].results:
                outside = [use for use in value.uses if self._place_of_user(use, place) not in places]
                if outside:
                    found.append((value, outside))
        return found

    def _known(self, values: Iterable[Any]) -> set[int]:
        """Return the places of the operations that give values."""
        owners = (getattr(value.owner, "operation", None) for value in values)
        return {self._places[owner] for owner in owners if owner in self._places}

    def _dependencies(self) -> Iterator[set[int]]:
        last_effect: set[int] = set()
        for place, op in enumerate(self.operations):
            sources = self._known(op.operands) | self._captured[place]
            if not op.name.startswith(PURE):
                sources |= last_effect
                last_effect = {place}
            yield sources

    def _groups_behind(self, sources: Iterable[int]) -> set[RowGroup]:
        sources = list(sources)
        return {self._of[s] for s in sources if s in self._of}.union(*(self._behind[s] for s in sources))

    def _forward(self, place: int) -> None:
        """Put an operation into a group that it continues, or that it begins."""
        self._behind.append(self._groups_behind(self._sources[place]))
        loops = self._loops[place]
        if loops is None:
            return
        for group in dict.fromkeys(self._of[s] for s in sorted(self._sources[place]) if s in self._of):
            returns = group in _closure(self._groups_behind(self._sources[place] - group.members))
            if loops.fit(group) and not self._captured[place] & group.members and not returns:
                self._join(place, group)
                if loops.reduces:
                    self._unite_with_what_is_read(group)
                return
        if loops.reduces:
            self._join(place, RowGroup(loops.extents, loops.parallel))

    def _unite_with_what_is_read(self, group: RowGroup) -> None:
        """Take in groups over the same rows that a group reads, now that it adds up what it makes of them.

        Were its last result as large as they are, two kernels would be as fast, or faster.
        """
        for other in sorted(group.before, key=lambda each: min(each.members)):
            same = (other.shape, other.kept) == (group.shape, group.kept)
            if same and group not in _closure(other.before) and self._reads_in_order(group, other):
                self._unite(group, other)

    def _reads_in_order(self, group: RowGroup, other: RowGroup) -> bool:
        """Tell whether a group reads another one itself alone, and in the order of its rows."""
        for member in group.members:
            loops, between = self._loops[member], self._sources[member] - group.members - other.members
            if loops is None or not loops.keep_rows(other.members, group):
                return False
            if self._captured[member] & other.members or other in _closure(self._groups_behind(between)):
                return False
        return True

    def _unite(self, group: RowGroup, other: RowGroup) -> None:
        """Make a group a part of another one."""
        group.members |= other.members
        group.before |= other.before
        self._of.update(dict.fromkeys(other.members, group))
        self._behind = [{group if g is other else g for g in groups} for groups in self._behind]
        for each in set(self._of.values()):
            each.before = {group if g is other else g for g in each.before} - {each}

    def _join(self, place: int, group: RowGroup) -> None:
        self._behind[place] = self._behind[place] - {group}
        group.before |= self._behind[place]
        group.members.add(place)
        self._of[place] = group

    def _take_in_what_one_group_reads(self) -> None:
        for place in reversed(range(len(self.operations))):
            loops, op = self._loops[place], self.operations[place]
            if loops is None or place in self._of:
                continue
            users = {self._place_of_user(use, place) for value in op.results for use in value.uses}
            groups = {self._of.get(user) for user in users}
            group = groups.pop() if len(groups) == 1 else None
            if group is None or not loops.fit(group) or group in _closure(self._behind[place]):
                continue
            if all(self._keeps_rows(user, place, group) for user in users):
                self._join(place, group)

    def _leave_out_what_stands_beside(self, group: RowGroup) -> set[int]:
        """Keep what leads to the last reduction or follows from it; return what of the rest follows from it.

        By that one IREE distributes a kernel; what else is in it may stay whole, in vectors of all rows.
        """
        members = sorted(group.members)
        root = max(m for m in members if (loops := self._loops[m]) is not None and loops.reduces)
        leads, follows = {root}, {root}
        for member in reversed(members):
            if member in leads:
                leads |= self._sources[member] & group.members
        free: set[int] = set()  # needs nothing of the group
        before: set[int] = set()
        left: set[int] = set()
        single: set[int] = set()
        for member in members:
            sources = self._sources[member]
            if member in leads:
                continue
            if sources & group.members <= free:
                free.add(member)
            if sources & left:
                left.add(member)
            elif sources & follows:
                follows.add(member)
            elif self._only_reader(member) in group.members:
                single.add(member)
            elif member in free:
                before.add(member)
            else:
                left.add(member)
        for member in sorted(single, reverse=True):  # IREE computes them in the loops of what follows
            reader = self._only_reader(member)
            (follows if reader in follows else before if reader in before else left).add(member)
        group.members -= left | before
        return left

    def _only_reader(self, place: int) -> int:
        """Return the place of the one operation that reads what loops compute of elements, -1 without."""
        loops = self._loops[place]
        uses = [use for value in self.operations[place].results for use in value.uses]
        if loops is None or loops.reduces or len(uses) != 1:
            return -1
        return self._place_of_user(uses[0], place)

    def _keeps_rows(self, reader: int, source: int, group: RowGroup) -> bool:
        loops = self._loops[reader]
        return loops is not None and loops.keep_rows({source}, group) and source not in self._captured[reader]

    def _gains(self, group: RowGroup) -> bool:
        """Tell whether IREE would end a kernel within a group.

        It does so behind a reduction, and behind what is computed for one and for another member. Of few rows
        that is as well: what goes element by element, threads share better.
        """
        reductions = self._reductions(group.members)
        if reductions != 1:
            return reductions > 1 and self._depth(group.members) <= _DEEPEST
        return math.prod(group.rows) >= MANY_ROWS and any(map(self._leads_to_several, group.members))

    def _depth(self, places: Set[int]) -> int:
        """Return how many reductions, among operations, read one another in turn."""
        depths: dict[int, int] = {}
        for place in sorted(places):
            loops = self._loops[place]
            before = max((depths[source] for source in self._sources[place] & places), default=0)
            depths[place] = before + (loops is not None and loops.reduces)
        return max(depths.values(), default=0)

    def _leads_to_several(self, place: int) -> bool:
        """Tell whether operations of a group, a reduction among them, read what loops compute of elements."""
        loops = self._loops[place]
        if loops is None or loops.reduces:
            return False
        uses = [use for value in self.operations[place].results for use in value.uses]
        readers = {self._place_of_user(use, place) for use in uses}
        return len(readers) > 1 and any((its := self._loops[r]) and its.reduces for r in readers)

    def _reductions(self, places: Iterable[int]) -> int:
        """Return how many results reductions have, among operations."""
        reduces = (place for place in places if (loops := self._loops[place]) and loops.reduces)
        return sum(len(self.operations[place].results) for place in reduces)

    def _place_of_user(self, use: Any, place: int) -> int:
        """Return the place of the operation that uses a value, or that holds what does."""
        return self._places[user_within(self.operations[place].block, use)]

    def _loops_of(self, op: Any) -> _Loops | None:
        """Describe loops of known extents whose results lie in the order of the parallel ones."""
        if op.name != "linalg.generic" or not list(op.results):
            return None
        loops = Loops(op)
        parallel, extents, along = loops.parallel, loops.extents(), loops.along()
        if (
            not parallel
            or not loops.ends_in_rows()
            or min(extents) < 1
            or any(each != parallel for each in along[-len(op.results) :])
        ):
            return None
        reads = [
            (source, loop)
            for value, loop in zip(op.operands, along, strict=True)
            for source in self._known([value])
        ]
        return _Loops(tuple(extents), tuple(parallel), reads)


def _closure(groups: Iterable[RowGroup]) -> set[RowGroup]:
    """Return groups with all that have to be computed before them."""
    found: set[RowGroup] = set()
    waiting = list(groups)
    while waiting:
        group = waiting.pop()
        if group not in found:
            found.add(group)
            waiting.extend(group.before)
    return found


def _captured(op: Any) -> Iterator[Any]:
    """Yield the values that operations inside of one take, those from outside among them."""
    for each in operations(op):
        yield from each.operands
