"""Compute sums apart from loops that read them in two orders: `s[:, None] - s[None, :]` of sums `s`.

IREE puts such loops into the kernel of the sum and shares out the sum's rows: each workgroup, or each tile,
has only its own sums when it reads all of them in the other order. The rest came out of memory that nobody
had written (IREE 3.13; remove when tests/transforms/test_separate_readers.py passes without).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.tensors import compute_apart
from myjit.passes.base import Pass

_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")
_NO_LOOPS = ("linalg.fill", "linalg.index", "linalg.yield")


@dataclass(frozen=True, eq=False)
class _Within:
    """Where a dimension lies among those that an operation, `of`, makes of others, at `places`."""

    number: int
    of: tuple[str, ...]
    places: tuple[_Place, ...]


#: Where a dimension of a reduction lies: along a dimension of a value, or a loop of an operation, or within
#: several; None where it is not read along any.
_Place = int | _Within | None

#: How a reduction's elements are read: where each of its dimensions lies.
Order = tuple[_Place, ...]

#: The reductions that a value is computed from within one kernel, each with the orders it is read in.
Reads = Mapping[Any, frozenset[Order]]


@dataclass(frozen=True)
class SeparateReaders(Pass):
    """Put a barrier behind every reduction whose result some loops read in two orders."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        readers = _Readers()
        found = dict.fromkeys(value for op in operations(module.operation) for value in readers.visit(op))
        for value in found:
            compute_apart(value)


@dataclass(frozen=True)
class _Readers:
    """What the values of a program read, filled operation by operation in the program's order."""

    _reads: dict[Any, Reads] = field(default_factory=dict)
    _places: dict[tuple[Any, ...], _Within] = field(default_factory=dict)

    def visit(self, op: Any) -> Iterator[Any]:
        """Take note of an operation's results; yield the reductions that it reads in more than one order."""
        if op.name in _RESHAPES:
            dims = tuple(range(_rank(op.result)))
            shape = (op.name, str(op.attributes["reassociation"]), str(op.result.type))
            before = range(_rank(op.operands[0]))
            places = {dim: self._within((*shape, str(dim)), dims) for dim in before}
            self._reads[op.result] = self._renamed(self._of(op.operands[0]), places)
        elif op.name == "linalg.transpose":
            places = {dim: place for place, dim in enumerate(op.attributes["permutation"])}
            self._reads[op.results[0]] = self._renamed(self._of(op.operands[0]), places)
        elif op.name.startswith(("linalg.", "iree_linalg_ext.")) and op.name not in _NO_LOOPS:
            parallel = op.name == "linalg.generic" and "reduction" not in Loops(op).iterators
            read = self._by_loops(op) if parallel or _may_join(op) else {}
            yield from (value for value, orders in read.items() if len(orders) > 1)
            for result in op.results:
                dims = tuple(range(_rank(result)))
                own = {result: frozenset([dims])}
                self._reads[result] = self._renamed(read, self._along(op, result)) if parallel else own

    def _of(self, value: Any) -> Reads:
        return self._reads.get(value, {})

    def _by_loops(self, op: Any) -> Reads:
        """Return what an operation reads, by its loops."""
        found: dict[Any, frozenset[Order]] = defaultdict(frozenset)
        for value, along in zip(op.operands, Loops(op).along()[: -len(op.results)], strict=False):
            places = {dim: loop for dim, loop in enumerate(along) if loop >= 0}
            for reduction, orders in self._renamed(self._of(value), places).items():
                found[reduction] |= orders
        return found

    def _along(self, op: Any, result: Any) -> Mapping[int, _Place]:
        """Return where each loop of an operation goes in a result."""
        along = Loops(op).along()[len(op.operands) - len(op.results) + result.result_number]
        if any(loop < 0 for loop in along):
            dims = tuple(range(len(along)))
            return {loop: self._within((str(loop),), dims) for loop in range(len(Loops(op).iterators))}
        return {loop: dim for dim, loop in enumerate(along)}

    def _within(self, of: tuple[str, ...], places: tuple[_Place, ...]) -> _Within:
        """Return a place within others: always the same one, so that it is compared at once."""
        return self._places.setdefault((of, places), _Within(len(self._places), of, places))

    def _renamed(self, reads: Reads, places: Mapping[int, _Place]) -> Reads:
        """Return what is read, where dimensions lie in `places`, and in none that these leave out."""
        new: dict[_Place, _Place] = {**places}
        every = [place for orders in reads.values() for order in orders for place in order]
        for place in _with_places(every):
            if isinstance(place, _Within):
                new[place] = self._within(place.of, tuple(new[each] for each in place.places))
            else:
                new.setdefault(place, None)
        return {
            value: frozenset(tuple(new[place] for place in order) for order in orders)
            for value, orders in reads.items()
        }


def _with_places(places: Iterable[_Place]) -> list[_Place]:
    """Return places and all that these lie within, each behind what it lies within."""
    found: dict[_Place, int] = {}
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        if place not in found:
            found[place] = place.number if isinstance(place, _Within) else -1
            waiting += place.places if isinstance(place, _Within) else ()
    return sorted(found, key=found.__getitem__)


def _may_join(op: Any) -> bool:
    """Tell whether IREE may put a reduction into the kernel of what it reads: a product gets its own."""
    return op.name == "linalg.generic" and not Loops(op).multiplies(widening=True)


def _rank(value: Any) -> int:
    return len(bindings(value).ir.RankedTensorType(value.type).shape)
