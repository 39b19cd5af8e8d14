"""Reduce rows of exponentials in the loops that compute them, and keep what these give.

IREE would compute what takes several results of a row anew for each of its readers: a softmax takes its
exponentials twice, once to add them up and once to divide them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.bodies import EXTRACT, copied, yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.structured import several
from myjit.passes.base import FunctionPass

#: What is not worth computing twice, nor is what is made of so many operations as powers are.
_MANY = 24
_COSTLY = {f"math.{name}" for name in ("exp", "exp2", "expm1", "tanh", "erf", "log", "log1p", "powf")}


@dataclass(frozen=True)
class ReduceWithProducer(FunctionPass):
    """Merge reductions in dispatch regions with the loops that compute what they reduce."""

    IS_TUNING: ClassVar[bool] = True

    def run_on_function(self, function: Any) -> None:
        """Rewrite the regions of one function in place."""
        for region in [op for op in operations(function) if op.name == "flow.dispatch.region"]:
            for reduction in [op.operation for op in region.regions[0].blocks[0]]:
                producer = _producer(reduction)
                if producer is not None:
                    _merge(producer, reduction)


def _producer(reduction: Any) -> Any:
    """Return what computes the one tensor that loops reduce along rows, where others read it too."""
    if reduction.name != "linalg.generic" or len(reduction.operands) != 2 or len(reduction.results) != 1:
        return None
    kinds = Loops(reduction).iterators
    source = reduction.operands[0]
    producer = getattr(source.owner, "operation", None)
    if "reduction" not in kinds or producer is None or producer.name != "linalg.generic":
        return None
    if producer.parent != reduction.parent or len(producer.results) != 1:
        return None
    start = reduction.operands[1].owner
    if getattr(start, "parent", None) == reduction.parent:
        return None  # it may come after the producer
    whole = list(range(len(kinds)))
    shapes = Loops(reduction).along()[0], Loops(producer).along()[-1]
    if any(shape != whole for shape in shapes) or "reduction" in Loops(producer).iterators:
        return None
    names = [op.operation.name for op in producer.regions[0].blocks[0]]
    if EXTRACT in names or not _is_costly(producer):
        return None
    return producer if len(list(source.uses)) > 1 else None


def _is_costly(producer: Any) -> bool:
    """Tell whether loops, with those that compute for them in the same region, are not worth doing twice."""
    names = [op.operation.name for op in producer.regions[0].blocks[0]]
    if len(names) > _MANY or not _COSTLY.isdisjoint(names):
        return True
    owners = (getattr(value.owner, "operation", None) for value in producer.operands)
    loops = [
        o for o in owners if o is not None and o.name == "linalg.generic" and o.parent == producer.parent
    ]
    return any("reduction" not in Loops(op).iterators and _is_costly(op) for op in loops)


def _merge(producer: Any, reduction: Any) -> None:
    """Put both into one generic with two results, where the producer is."""
    ir = bindings(reduction).ir
    *inputs, into = producer.operands
    total = reduction.operands[1]
    *maps, own = Loops(producer).maps()
    maps += [own, Loops(reduction).maps()[1]]

    def body(_: Any, *elements: Any) -> list[Any]:
        *first, last = elements
        one = copied(producer, yielded(producer), first)
        return [one, copied(reduction, yielded(reduction), (one, last))]

    with ir.InsertionPoint(producer), reduction.location:
        merged = several(inputs, [into, total], maps, reduction.attributes["iterator_types"], body)
    for op, new in zip((producer, reduction), merged, strict=True):
        op.results[0].replace_all_uses_with(new)
    reduction.erase()
    producer.erase()
