"""Keep IREE's code generator from making vector contractions that MLIR does not accept, or takes apart.

Products that are added up to one number become `vector.contract`. Its verifier takes a single number as the
result only where both factors go along all that is added up, which what is broadcast does not:
`(x * weight).sum()` is refused. Where no number is used twice, in `(x * y).sum(0)` or sums of squares, a
contraction is taken apart number by number, and so it is where loops add up several things. So zero is added
to such products, which are no sums of products then; integers are multiplied by what is negated, and negated
themselves, which LLVM takes away again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.bodies import yielded
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_SUMS = {"arith.mulf": "arith.addf", "arith.muli": "arith.addi"}


@dataclass(frozen=True)
class HideContractions(Pass):
    """Disguise products that are summed and are no products of matrices."""

    def run(self, module: Any) -> None:
        """Rewrite the loops of dispatches in place."""
        for op in operations(module.operation):
            if op.name == "linalg.generic" and _is_taken_apart(Loops(op)):
                for result in range(len(op.results)):
                    _disguise_summed_product(op, result)


def _is_taken_apart(loops: Loops) -> bool:
    """Tell whether contractions that loops are made of would be refused, or taken apart."""
    together = len(loops.operation.results) > 1 and "reduction" in loops.iterators
    return together or _is_whole_sum(loops) or _uses_each_once(loops)


def _is_whole_sum(loops: Loops) -> bool:
    """Tell whether loops give one number, and take something that not all of them go along."""
    if not loops.iterators or any(kind != "reduction" for kind in loops.iterators):
        return False
    *taken, _ = loops.along()
    return len(loops.operation.results) == 1 and any(len(set(t)) < len(loops.iterators) for t in taken)


def _uses_each_once(loops: Loops) -> bool:
    """Tell whether loops reduce tensors that all go along all loops: no element is used twice."""
    *taken, _ = loops.along()
    return "reduction" in loops.iterators and all(len(set(t)) == len(loops.iterators) for t in taken)


def _disguise_summed_product(generic: Any, result: int) -> None:
    """Have a result's sum add up something else than what multiplies two numbers, if it adds up that."""
    total = getattr(yielded(generic, result).owner, "operation", None)
    if total is None or total.name not in _SUMS.values():
        return
    for place, value in enumerate(total.operands):
        product = getattr(value.owner, "operation", None)
        if product is not None and _SUMS.get(product.name) == total.name:
            with bindings(total).ir.InsertionPoint(total), total.location:
                total.operands[place] = _disguised(product)
            if not list(product.results[0].uses):
                product.erase()
            return


def _disguised(product: Any) -> Any:
    """Build a product and zero, which is not -0; of integers, the negated product of what is negated."""
    ir = bindings(product).ir
    kind = product.results[0].type
    is_float = product.name == "arith.mulf"
    number = ir.FloatAttr.get(kind, 0.0) if is_float else ir.IntegerAttr.get(kind, 0)
    zero = ir.Operation.create("arith.constant", [kind], attributes={"value": number}).result
    if is_float:
        return ir.Operation.create("arith.addf", [kind], [product.results[0], zero]).result
    first, second = product.operands
    opposite = ir.Operation.create("arith.subi", [kind], [zero, second]).result
    opposite = ir.Operation.create("arith.muli", [kind], [first, opposite]).result
    return ir.Operation.create("arith.subi", [kind], [zero, opposite]).result
