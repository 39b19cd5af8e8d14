"""Read linalg operations that reduce tensors to one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from myjit.mlir.bodies import copied, needed, yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.structured import empty, fill, looped
from myjit.mlir.tensors import constant, size

#: What can be computed in any order, of parts,
_SUMS = {"arith.addf", "arith.addi"}
#: and what gives the same number as well, however often it takes the same.
SELECTIONS = {
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
class Reduction:
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
        return init_of(self.operation).owner.operands[0]

    def adds_float32(self) -> bool:
        """Tell whether float32 numbers are added up."""
        ir = bindings(self.operation).ir
        return self.combiner.name == "arith.addf" and isinstance(self.start.type, ir.F32Type)

    @staticmethod
    def of(op: Any) -> Reduction | None:
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
        if not loops.is_plain() or not (
            sorted(main) == sorted(parallel + reduced) == list(range(len(kinds)))
        ):
            return None
        extents = loops.extents()
        inner = next((loop for loop in reversed(main) if extents[loop] != 1), reduced[-1])
        return Reduction(op, combiner, reduced, extents, inner not in reduced)


def reductions(function: Any) -> Iterator[Reduction]:
    """Yield the plain reductions of a function of linalg operations, as they are when their turn comes."""
    for op in [op for op in operations(function) if op.name == "linalg.generic"]:
        reduction = Reduction.of(with_one_result(op))
        if reduction is not None:
            yield reduction


def with_one_result(op: Any) -> Any:
    """Leave out the other results of loops of which one only is read: the places of what `amax` finds."""
    read = [number for number, result in enumerate(op.results) if list(result.uses)]
    loops = Loops(op)
    if len(op.results) < 2 or len(read) != 1 or not loops.is_plain():
        return op
    (number,) = read
    value = yielded(op, number)
    count = len(op.operands) - len(op.results)
    arguments = list(op.regions[0].blocks[0].arguments)
    others = {each for place, each in enumerate(arguments[count:]) if place != number}
    if others & {value, *(operand for each in needed(op, value) for operand in each.operands)}:
        return op
    along = loops.along()

    def compute(_: Any, *elements: Any) -> Any:
        totals = [elements[-1]] * len(op.results)  # of which the value needs its own only
        return copied(op, value, [*elements[:-1], *totals])

    with bindings(op).ir.InsertionPoint(op), op.location:
        places = [*along[:count], along[count + number]]
        new = looped(loops.iterators, list(op.operands)[:count], op.operands[count + number], places, compute)
    op.results[number].replace_all_uses_with(new)
    op.erase()
    return new.owner.operation


def reduce_as(
    reduction: Reduction,
    combiner: str,
    kind: Any,
    start: float,
    *,
    to: Callable[[Any, Any], Any],
    back: Callable[[Any, Any], Any],
) -> None:
    """Replace a reduction by one of numbers of another type or form.

    `combiner` is the operation that takes one more of them in, beginning with `start`. `to` builds such a
    number from what was reduced, `back` from the result what is read of it; both take the bindings first.
    """
    op, init = reduction.operation, init_of(reduction.operation)
    ir = bindings(op).ir
    *along, result = Loops(op).along()
    total = op.regions[0].blocks[0].arguments[len(op.operands) - 1]
    (number,) = [operand for operand in reduction.combiner.operands if operand != total]

    def combine(ir: Any, *elements: Any) -> Any:
        value = to(ir, copied(op, number, elements))
        return ir.Operation.create(combiner, [kind], [value, elements[-1]]).results[0]

    with ir.InsertionPoint(op), op.location:
        sizes = [size(init, dim) for dim in range(len(result))]
        attribute = ir.FloatAttr if isinstance(kind, ir.FloatType) else ir.IntegerAttr
        first = fill(constant(ir, kind, attribute.get(kind, start)), empty(init, sizes, kind))
        whole = looped(Loops(op).iterators, list(op.operands)[:-1], first, [*along, result], combine)
        order, kinds = list(range(len(result))), ["parallel"] * len(result)
        found = looped(kinds, [whole], empty(init, sizes), [order, order], lambda ir, one, _: back(ir, one))
    op.results[0].replace_all_uses_with(found)
    op.erase()


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
    if last.name not in _SUMS | SELECTIONS or list(end.operands) != list(last.results):
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
    return combiner.name in SELECTIONS or number.attributes["value"].value == 0


def init_of(op: Any) -> Any:
    """Return the tensor that an operation of one result writes into."""
    return op.operands[len(op.operands) - 1]
