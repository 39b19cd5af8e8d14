"""Copy a transposed left side of a product of bfloat16, a weight's gradient: its steps lie in pairs then.

Processors multiply bfloat16 by two steps of the sum at a time, and `multiply-by-panels` takes those of the
left side as they lie. Otherwise MKL or IREE multiplies, in four times the time. The copy is made apart: IREE
would have a product of batches read across again. So is what it copies: a product would give both, which
panels do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.panels import LEAST_STEPS, multiplies_well, registers
from myjit.mlir.products import Product, product
from myjit.mlir.structured import empty, looped
from myjit.mlir.sums_of_products import sums
from myjit.mlir.tensors import computed_apart
from myjit.passes.base import Pass


@dataclass(frozen=True)
class TurnHalves(Pass):
    """Rewrite products that panels multiply once their left side is turned."""

    IS_TUNING: ClassVar[bool] = True

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module in place."""
        has = registers(module)
        if has is None or not has.halves:
            return
        for op in [op for op in operations(module.operation) if op.name.startswith("linalg.")]:
            found = product(op)
            if found is not None and found.element == "bf16" and not multiplies_well(op, has):
                fits = found.depths >= LEAST_STEPS if has.tiles else found.depths % 2 == 0
                if fits:
                    _turn(found)


def _turn(found: Product) -> None:
    op = found.operation
    columns = sums(op, Loops(op).inner_loops()[2])
    if columns is None:
        return
    left = columns.left
    along = found.tensors[left]
    others = [loop for loop in along if loop != found.depth]
    if along[-1] == found.depth or len(others) + 1 != len(along):
        return
    order = [*others, found.depth]
    ir = bindings(op).ir
    with ir.InsertionPoint(op), op.location:
        op.operands[left] = computed_apart(_turned(computed_apart(op.operands[left]), along, order))
    maps = Loops(op).maps()
    expressions = [ir.AffineDimExpr.get(loop) for loop in order]
    maps[left] = ir.AffineMap.get(maps[left].n_dims, 0, expressions)
    op.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps])


def _turned(value: Any, along: tuple[int, ...], order: list[int]) -> Any:
    """Build a copy of a tensor whose dimensions lie along loops in another order.

    As loops, which passes of tiles know: a `linalg.transpose` stays one, of IREE's tiles, at this level.
    """
    shape = bindings(value).ir.ShapedType(value.type).shape
    places = [order.index(loop) for loop in along]
    init = empty(value, [shape[along.index(loop)] for loop in order])
    kinds = ["parallel"] * len(order)
    return looped(kinds, [value], init, [places, list(range(len(order)))], lambda _, element, old: element)
