"""Keep IREE's code generator from making vector contractions that MLIR does not accept.

Products that are added up to one number become `vector.contract`. Its verifier takes a single number as the
result only where both factors go along all that is added up, which what is broadcast does not:
`(x * weight).sum()` is refused. So such products are of one factor negated, and negated themselves: the
code generator does not know them as products any more, and LLVM takes both signs away again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.passes.base import Pass

_SUMS = {"arith.mulf": "arith.addf", "arith.muli": "arith.addi"}


@dataclass(frozen=True)
class HideContractions(Pass):
    """Rewrite products of what is broadcast, summed to one number, with two signs."""

    def run(self, module: Any) -> None:
        """Rewrite the loops of dispatches in place."""
        for op in operations(module.operation):
            if op.name == "linalg.generic" and _is_whole_sum(Loops(op)):
                product = _summed_product(op)
                if product is not None:
                    _negate(product)


def _is_whole_sum(loops: Loops) -> bool:
    """Tell whether loops give one number, and take something that not all of them go along."""
    if not loops.iterators or any(kind != "reduction" for kind in loops.iterators):
        return False
    *taken, _ = loops.along()
    return len(loops.operation.results) == 1 and any(len(set(t)) < len(loops.iterators) for t in taken)


def _summed_product(generic: Any) -> Any:
    """Return what multiplies two numbers to add the product to the sum, None where something else does."""
    block = generic.regions[0].blocks[0]
    end = block.operations[len(block.operations) - 1]
    total = getattr(end.operands[0].owner, "operation", None)
    if total is None or total.name not in _SUMS.values():
        return None
    for value in total.operands:
        owner = value.owner
        if hasattr(owner, "operation") and _SUMS.get(owner.operation.name) == total.name:
            return owner.operation
    return None


def _negate(product: Any) -> None:
    """Multiply by the negated factor, and negate the product, which is the same number."""
    ir = bindings(product).ir
    kind = product.results[0].type

    def negated(value: Any) -> Any:
        if product.name == "arith.mulf":
            return ir.Operation.create("arith.negf", [kind], [value]).result
        zero = ir.Operation.create(
            "arith.constant", [kind], attributes={"value": ir.IntegerAttr.get(kind, 0)}
        ).result
        return ir.Operation.create("arith.subi", [kind], [zero, value]).result

    with ir.InsertionPoint(product), product.location:
        first, second = product.operands
        opposite = ir.Operation.create(product.name, [kind], [first, negated(second)]).result
        product.results[0].replace_all_uses_with(negated(opposite))
    product.erase()
