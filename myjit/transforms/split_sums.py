"""Compute long reductions in parts.

IREE adds the numbers of a sum one after the other, in as many places at once as vectors hold: of 16 million
float32 numbers its sum is off by one per cent, where torch's adds up sums of parts. And what ends in one
number is computed by one thread (one workgroup of a GPU) alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.structured import Body, empty, expand, fill, structured
from myjit.mlir.tensors import constant, size, zero
from myjit.passes.base import FunctionPass

#: What can be computed in any order, of parts.
_SUMS = {"arith.addf", "arith.addi"}
_SELECTIONS = {
    f"arith.{name}"
    for name in (
        "maximumf",
        "minimumf",
        "maxnumf",
        "minnumf",
        "maxsi",
        "minsi",
        "maxui",
        "minui",
        "andi",
        "ori",
    )
}


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
            reduction = _Reduction.of(waiting.pop())
            if reduction is None or not self._is_long(reduction):
                continue
            part = self._part(reduction)
            if part:
                waiting.append(_split(reduction, part))
            elif self.wide and reduction.adds_float32():
                _widen(reduction)

    def _is_long(self, reduction: _Reduction) -> bool:
        if reduction.length < 0:
            # Rows of unknown length are a softmax's, as long as their number is known to be one.
            return reduction.in_columns or len(reduction.reduced) > 1 or reduction.results == 1
        if reduction.in_columns:
            return reduction.length > self.high
        return reduction.length > (self.long if reduction.results >= self.many else self.short)

    def _part(self, reduction: _Reduction) -> dict[int, int]:
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


@dataclass(frozen=True)
class _Reduction:
    """Loops that reduce tensors to one, starting from what does not change it."""

    operation: Any
    combiner: Any
    reduced: list[int]  # from the outermost to the innermost in memory
    extents: list[int]
    in_columns: bool

    @property
    def length(self) -> int:
        """How many numbers become one, -1 where that is not known."""
        extents = [self.extents[loop] for loop in self.reduced]
        return -1 if -1 in extents else math.prod(extents)

    @property
    def results(self) -> int:
        """How many numbers come out, -1 where that is not known."""
        extents = [extent for loop, extent in enumerate(self.extents) if loop not in self.reduced]
        return -1 if -1 in extents else math.prod(extents)

    @property
    def start(self) -> Any:
        """The number that the result starts from."""
        return _init(self.operation).owner.operands[0]

    def adds_float32(self) -> bool:
        """Tell whether float32 numbers are added up."""
        ir = bindings(self.operation).ir
        return self.combiner.name == "arith.addf" and isinstance(self.start.type, ir.F32Type)

    @staticmethod
    def of(op: Any) -> _Reduction | None:
        """Read loops; None of what is not a plain reduction."""
        loops = Loops(op)
        kinds = loops.iterators
        combiner = _combiner(op)
        if "reduction" not in kinds or combiner is None or not _is_neutral(op, combiner):
            return None
        *along, result = loops.along()
        main = max(along, key=len)
        parallel = [loop for loop in result if loop >= 0]
        reduced = [loop for loop in main if kinds[loop] == "reduction"]
        if not _is_plain(loops) or not (
            sorted(main) == sorted(parallel + reduced) == list(range(len(kinds)))
        ):
            return None
        extents = loops.extents()
        inner = next((loop for loop in reversed(main) if extents[loop] != 1), reduced[-1])
        return _Reduction(op, combiner, reduced, extents, inner not in reduced)


def _is_plain(loops: Loops) -> bool:
    """Tell whether each dimension of each tensor lies along one loop, or has one element."""
    ir = bindings(loops.operation).ir
    return all(
        isinstance(each, ir.AffineDimExpr) or (isinstance(each, ir.AffineConstantExpr) and each.value == 0)
        for map_ in loops.maps()
        for each in map_.results
    )


def _combiner(op: Any) -> Any:
    """Return what takes one number more into the result, None where that is not all that does."""
    if len(op.results) != 1 or not hasattr(op.operands[len(op.operands) - 1].owner, "operation"):
        return None
    body = op.regions[0].blocks[0]
    *computed, end = (each.operation for each in body)
    total = body.arguments[len(body.arguments) - 1]
    if not computed or any(each.name == "linalg.index" for each in computed):
        return None
    last = computed[-1]
    if last.name not in _SUMS | _SELECTIONS or list(end.operands) != list(last.results):
        return None
    uses = list(total.uses)
    return last if len(uses) == 1 and uses[0].owner == last else None


def _is_neutral(op: Any, combiner: Any) -> bool:
    """Tell whether a reduction starts from a constant that may be taken in more than once."""
    start = op.operands[len(op.operands) - 1].owner.operation
    if start.name != "linalg.fill":
        return False
    number = getattr(start.operands[0].owner, "operation", None)
    if number is None or number.name != "arith.constant":
        return False
    return combiner.name in _SELECTIONS or number.attributes["value"].value == 0


def _divisor(extent: int, most: int) -> int:
    return next(size for size in range(min(most, extent), 0, -1) if extent % size == 0)


def _split(reduction: _Reduction, part: dict[int, int]) -> Any:
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
        new = _Cut(op, loop, taken).loops(op, loop, _init(op), _copier(op))
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
        return _loops(kinds, inputs, init, places, body)

    def _value(self, value: Any, dim: int) -> Any:
        if (value, dim) not in self._known:
            sizes = [
                size(value, each) for each in range(bindings(value).ir.RankedTensorType(value.type).rank)
            ]
            sizes[dim : dim + 1] = self._sizes
            self._known[value, dim] = self._computed(value, dim, sizes) or self._expanded(value, dim, sizes)
        return self._known[value, dim]

    def _computed(self, value: Any, dim: int, sizes: list[Any]) -> Any:
        """Build what loops compute anew: IREE writes what has other readers to memory, to give it a shape."""
        producer = getattr(value.owner, "operation", None)
        if producer is None or not _is_pointwise(producer):
            return None
        body: Body = lambda _, *elements: _copied(producer, _yielded(producer), elements)  # noqa: E731
        return self.loops(producer, Loops(producer).along()[-1][dim], empty(value, sizes), body)

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
    plain = "reduction" not in loops.iterators and _is_plain(loops) and len(names) > 1
    return plain and loops.along()[-1] == list(range(len(loops.iterators))) and "linalg.index" not in names


def _reduce_apart(op: Any, outer: list[int]) -> Any:
    """Have reduced loops be parallel ones, and reduce along them after."""
    loops, init = Loops(op), _init(op)
    *along, result = loops.along()
    extents = loops.extents()
    kept = sorted(loop for loop in (*outer, *result) if loop >= 0)  # in the loops' order: IREE loses others
    kinds = ["parallel" if loop in outer else kind for loop, kind in enumerate(loops.iterators)]
    with bindings(op).ir.InsertionPoint(op), op.location:
        sizes = [extents[loop] if loop in outer else size(init, result.index(loop)) for loop in kept]
        start = fill(init.owner.operands[0], empty(init, sizes))
        parts = _loops(kinds, list(op.operands)[:-1], start, [*along, kept], _copier(op))
        ends = ["reduction" if loop in outer else "parallel" for loop in kept]
        into = [kept.index(loop) if loop >= 0 else -1 for loop in result]
        whole = _loops(ends, [parts], init, [list(range(len(kept))), into], _combining(_last(op)))
    op.results[0].replace_all_uses_with(whole)
    op.erase()
    return whole.owner.operation


def _widen(reduction: _Reduction) -> None:
    """Add up in float64, and take the sum back."""
    op, init = reduction.operation, _init(reduction.operation)
    ir = bindings(op).ir
    single, double = ir.F32Type.get(op.context), ir.F64Type.get(op.context)
    *along, result = Loops(op).along()
    rank = len(result)

    def add(ir: Any, *elements: Any) -> Any:
        number = _summand(op, reduction.combiner, elements)
        wide = ir.Operation.create("arith.extf", [double], [number]).results[0]
        return ir.Operation.create("arith.addf", [double], [wide, elements[-1]]).results[0]

    def narrow(ir: Any, element: Any, _: Any) -> Any:
        return ir.Operation.create("arith.truncf", [single], [element]).results[0]

    with ir.InsertionPoint(op), op.location:
        sizes = [size(init, dim) for dim in range(rank)]
        start = fill(constant(ir, double, zero(ir, double)), empty(init, sizes, double))
        total = _loops(Loops(op).iterators, list(op.operands)[:-1], start, [*along, result], add)
        order = list(range(rank))
        sum_ = _loops(["parallel"] * rank, [total], empty(init, sizes), [order, order], narrow)
    op.results[0].replace_all_uses_with(sum_)
    op.erase()


def _init(op: Any) -> Any:
    return op.operands[len(op.operands) - 1]


def _loops(kinds: list[str], inputs: list[Any], init: Any, places: list[list[int]], body: Body) -> Any:
    """Build loops over tensors, along the loop at each of a tensor's dimensions, -1 for none."""
    ir = bindings(init).ir

    def expression(place: int) -> Any:
        return ir.AffineConstantExpr.get(0) if place < 0 else ir.AffineDimExpr.get(place)

    maps = [ir.AffineMap.get(len(kinds), 0, [expression(place) for place in each]) for each in places]
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
        "iterator_types": ir.ArrayAttr.get(
            [ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds]
        ),
    }
    return structured("linalg.generic", inputs, init, attributes, body)


def _copier(op: Any) -> Body:
    """Return what builds an operation's body for other loops."""
    combiner = _last(op)

    def copied(_: Any, *elements: Any) -> Any:
        return _combined(combiner, _summand(op, combiner, elements), elements[-1])

    return copied


def _combining(combiner: Any) -> Body:
    return lambda _, number, total: _combined(combiner, number, total)


def _combined(combiner: Any, number: Any, total: Any) -> Any:
    """Build what takes one more number into a result."""
    copy = combiner.clone()
    copy.operands[0], copy.operands[1] = number, total
    return copy.results[0]


def _summand(op: Any, combiner: Any, elements: Sequence[Any]) -> Any:
    """Build the number that is taken into the result, from one element of each tensor."""
    total = op.regions[0].blocks[0].arguments[len(elements) - 1]
    (number,) = [operand for operand in combiner.operands if operand != total]
    return _copied(op, number, elements)


def _copied(op: Any, value: Any, elements: Sequence[Any]) -> Any:
    """Build a value of an operation's body anew, from one element of each tensor."""
    body = op.regions[0].blocks[0]
    known = dict(zip(body.arguments, elements, strict=True))
    for each in [each.operation for each in body][:-1]:
        if value in known:
            break
        copy = each.clone()
        for place, operand in enumerate(each.operands):
            copy.operands[place] = known.get(operand, operand)
        known.update(zip(each.results, copy.results, strict=True))
    return known.get(value, value)


def _yielded(op: Any) -> Any:
    body = op.regions[0].blocks[0]
    return body.operations[len(body.operations) - 1].operands[0]


def _last(op: Any) -> Any:
    """Return what computes what the loops yield."""
    return _yielded(op).owner.operation
