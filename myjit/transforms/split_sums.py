"""Compute long reductions in parts.

IREE adds the numbers of a sum one after the other, in as many places at once as vectors hold: of 16 million
float32 numbers its sum is off by one per cent, where torch's adds up sums of parts. And what ends in one
number is computed by one thread (one workgroup of a GPU) alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.bodies import copied, yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.reductions import Reduction, init_of, reduce_as, with_one_result
from myjit.mlir.structured import Body, empty, expand, fill, looped
from myjit.mlir.tensors import size
from myjit.passes.base import FunctionPass


@dataclass(frozen=True)
class SplitSums(FunctionPass):
    """Reduce blocks of at most `block` numbers, or `rows` numbers of a column each, and then what these give.

    Rows are left whole up to the length `short`, up to `long` where there are at least `many` of them, and
    columns up to the length `high`. With `wide`, float32 sums that have no fitting parts, or whose length
    is not known, are computed in float64.
    """

    block: int = 2**14
    rows: int = 128
    short: int = 2**15
    long: int = 2**17
    many: int = 16
    high: int = 512
    wide: bool = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite one function of linalg operations in place."""
        waiting = [op for op in operations(function) if op.name == "linalg.generic"]
        while waiting:
            reduction = Reduction.of(with_one_result(waiting.pop()))
            if reduction is None or not self._is_long(reduction):
                continue
            part = self._part(reduction)
            if part:
                waiting.append(_split(reduction, part))
            elif self.wide and reduction.adds_float32():
                _widen(reduction)

    def _is_long(self, reduction: Reduction) -> bool:
        if reduction.length < 0:
            # Rows of unknown length are a softmax's, as long as their number is known to be one.
            return reduction.in_columns or len(reduction.reduced) > 1 or reduction.results == 1
        if reduction.in_columns:
            return reduction.length > self.high
        return reduction.length > (self.long if reduction.results >= self.many else self.short)

    def _part(self, reduction: Reduction) -> dict[int, int]:
        """Return how much of each reduced loop a part takes; empty where no parts fit."""
        most = self.rows if reduction.in_columns else self.block
        taken: dict[int, int] = {}
        size = 1
        for loop in reversed(reduction.reduced) if reduction.length > 0 else ():
            # A part that is large enough ends where a dimension does, which needs no other shape.
            left = most // size if size < most // 16 else 1
            taken[loop] = _divisor(reduction.extents[loop], left)
            size *= taken[loop]
        return taken if size >= most // 64 else {}


def _divisor(extent: int, most: int) -> int:
    return next(size for size in range(min(most, extent), 0, -1) if extent % size == 0)


def _split(reduction: Reduction, part: dict[int, int]) -> Any:
    """Reduce parts, and then what these give; return the operation that does the latter."""
    op = reduction.operation
    shift = 0
    outer = []
    for loop, extent in enumerate(reduction.extents):
        taken = part.get(loop, extent)
        if 1 < taken < extent:
            op = _cut_loop(op, loop + shift, taken)
        if taken < extent:
            outer.append(loop + shift)
        shift += 1 < taken < extent
    return _reduce_apart(op, outer)


def _cut_loop(op: Any, loop: int, taken: int) -> Any:
    """Write one loop of a reduction as two, of which the inner one runs `taken` times."""
    with bindings(op).ir.InsertionPoint(op), op.location:
        new = _Cut(op, loop, taken).loops(op, loop, init_of(op), _copier(op))
    op.results[0].replace_all_uses_with(new)
    op.erase()
    return new.owner.operation


class _Cut:
    """Writes loops as two each, and what they take as tensors with two dimensions in place of one."""

    def __init__(self, op: Any, loop: int, taken: int) -> None:
        self._sizes = [Loops(op).extents()[loop] // taken, taken]
        self._known: dict[tuple[Any, int], Any] = {}

    def loops(self, op: Any, loop: int, init: Any, body: Body) -> Any:
        """Build a generic like `op` with two loops in place of one."""
        loops = Loops(op)
        kinds = list(loops.iterators)
        kinds.insert(loop, kinds[loop])
        inputs = [
            self._value(value, along.index(loop)) if loop in along else value
            for value, along in zip(op.operands, loops.along()[:-1], strict=False)
        ]
        new = {each: [each + (each > loop)] for each in range(-1, len(kinds) - 1)} | {loop: [loop, loop + 1]}
        places = [[place for each in along for place in new[each]] for along in loops.along()]
        return looped(kinds, inputs, init, places, body)

    def _value(self, value: Any, dim: int) -> Any:
        if (value, dim) not in self._known:
            rank = bindings(value).ir.RankedTensorType(value.type).rank
            sizes = [size(value, each) for each in range(rank)]
            sizes[dim : dim + 1] = self._sizes
            self._known[value, dim] = self._computed(value, dim, sizes) or self._expanded(value, dim, sizes)
        return self._known[value, dim]

    def _computed(self, value: Any, dim: int, sizes: list[Any]) -> Any:
        """Build what loops compute anew: IREE writes what has other readers to memory, to give it a shape."""
        producer = getattr(value.owner, "operation", None)
        if producer is None or not _is_pointwise(producer):
            return None
        loop = Loops(producer).along()[-1][dim]
        return self.loops(producer, loop, empty(value, sizes), _copier(producer))

    @staticmethod
    def _expanded(value: Any, dim: int, sizes: list[Any]) -> Any:
        groups = [[each + (each > dim)] for each in range(len(sizes) - 1)]
        groups[dim] = [dim, dim + 1]
        return expand(value, sizes, groups)


def _is_pointwise(op: Any) -> bool:
    """Tell whether loops compute each element of one result from elements alone."""
    if op.name != "linalg.generic" or len(op.results) != 1:
        return False
    loops = Loops(op)
    names = [each.operation.name for each in op.regions[0].blocks[0]]
    plain = "reduction" not in loops.iterators and loops.is_plain() and len(names) > 1
    return plain and loops.along()[-1] == list(range(len(loops.iterators))) and "linalg.index" not in names


def _reduce_apart(op: Any, outer: list[int]) -> Any:
    """Have reduced loops be parallel ones, and reduce along them after."""
    loops, init = Loops(op), init_of(op)
    *along, result = loops.along()
    extents = loops.extents()
    kept = sorted(loop for loop in (*outer, *result) if loop >= 0)  # in the loops' order: IREE loses others
    kinds = ["parallel" if loop in outer else kind for loop, kind in enumerate(loops.iterators)]
    with bindings(op).ir.InsertionPoint(op), op.location:
        sizes = [extents[loop] if loop in outer else size(init, result.index(loop)) for loop in kept]
        start = fill(init.owner.operands[0], empty(init, sizes))
        parts = looped(kinds, list(op.operands)[:-1], start, [*along, kept], _copier(op))
        ends = ["reduction" if loop in outer else "parallel" for loop in kept]
        into = [kept.index(loop) if loop >= 0 else -1 for loop in result]
        combine = _combining(yielded(op).owner.operation)
        whole = looped(ends, [parts], init, [list(range(len(kept))), into], combine)
    op.results[0].replace_all_uses_with(whole)
    op.erase()
    return whole.owner.operation


def _widen(reduction: Reduction) -> None:
    """Add up in float64, and take the sum back."""
    ir = bindings(reduction.operation).ir
    single, double = (kind.get(reduction.operation.context) for kind in (ir.F32Type, ir.F64Type))
    reduce_as(
        reduction,
        "arith.addf",
        double,
        0.0,
        to=lambda ir, number: ir.Operation.create("arith.extf", [double], [number]).results[0],
        back=lambda ir, total: ir.Operation.create("arith.truncf", [single], [total]).results[0],
    )


def _copier(op: Any) -> Body:
    """Return what builds an operation's body for other loops."""
    return lambda _, *elements: copied(op, yielded(op), elements)


def _combining(combiner: Any) -> Body:
    """Return what builds the body of loops that only take numbers into a result."""

    def combine(_: Any, number: Any, total: Any) -> Any:
        copy = combiner.clone()
        copy.operands[0], copy.operands[1] = number, total
        return copy.results[0]

    return combine
