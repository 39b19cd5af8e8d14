"""Compute sums apart from loops that read them in two orders: `s[:, None] - s[None, :]` of sums `s`.

IREE puts such loops into the kernel of the sum and shares out the sum's rows: each workgroup, or each tile,
has only its own sums when it reads all of them in the other order. The rest came out of memory that nobody
had written (IREE 3.13; remove when tests/transforms/test_separate_readers.py passes without).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.tensors import compute_apart
from myjit.passes.base import Pass

_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")
_NO_LOOPS = ("linalg.fill", "linalg.index", "linalg.yield")

#: How a reduction's elements are read: for each of its dimensions, the dimension of a value (or the loop of
#: an operation) along which it lies, `None`, or what a reshape makes of several: a nested tuple.
Order = Any

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

    def visit(self, op: Any) -> Iterator[Any]:
        """Take note of an operation's results; yield the reductions that it reads in more than one order."""
        if op.name in _RESHAPES:
            dims = tuple(range(_rank(op.result)))
            shape = (op.name, str(op.attributes["reassociation"]), str(op.result.type))
            places = {dim: (*shape, str(dim), dims) for dim in range(_rank(op.operands[0]))}
            self._reads[op.result] = _renamed(self._of(op.operands[0]), places)
        elif op.name == "linalg.transpose":
            places = {dim: place for place, dim in enumerate(op.attributes["permutation"])}
            self._reads[op.results[0]] = _renamed(self._of(op.operands[0]), places)
        elif op.name.startswith(("linalg.", "iree_linalg_ext.")) and op.name not in _NO_LOOPS:
            parallel = op.name == "linalg.generic" and "reduction" not in Loops(op).iterators
            read = self._by_loops(op) if parallel or _may_join(op) else {}
            yield from (value for value, orders in read.items() if len(orders) > 1)
            for result in op.results:
                dims = tuple(range(_rank(result)))
                own = {result: frozenset([dims])}
                self._reads[result] = _renamed(read, _places(op, result)) if parallel else own

    def _of(self, value: Any) -> Reads:
        return self._reads.get(value, {})

    def _by_loops(self, op: Any) -> Reads:
        """Return what an operation reads, by its loops."""
        found: dict[Any, frozenset[Order]] = defaultdict(frozenset)
        for value, along in zip(op.operands, Loops(op).along()[: -len(op.results)], strict=False):
            places = {dim: loop for dim, loop in enumerate(along) if loop >= 0}
            for reduction, orders in _renamed(self._of(value), places).items():
                found[reduction] |= orders
        return found


def _may_join(op: Any) -> bool:
    """Tell whether IREE may put a reduction into the kernel of what it reads: a product gets its own."""
    return op.name == "linalg.generic" and not Loops(op).multiplies(widening=True)


def _places(op: Any, result: Any) -> dict[int, Order]:
    """Return the dimension of a result along which each loop of an operation goes."""
    along = Loops(op).along()[len(op.operands) - len(op.results) + result.result_number]
    if any(loop < 0 for loop in along):
        dims = tuple(range(len(along)))
        return {loop: (str(loop), dims) for loop in range(len(Loops(op).iterators))}
    return {loop: dim for dim, loop in enumerate(along)}


def _renamed(reads: Reads, places: Mapping[int, Order]) -> Reads:
    return {value: frozenset(_placed(order, places) for order in orders) for value, orders in reads.items()}


def _placed(order: Order, places: Mapping[int, Order]) -> Order:
    if isinstance(order, tuple):
        return tuple(_placed(each, places) for each in order)
    return places.get(order) if isinstance(order, int) else order


def _rank(value: Any) -> int:
    return len(bindings(value).ir.RankedTensorType(value.type).shape)
