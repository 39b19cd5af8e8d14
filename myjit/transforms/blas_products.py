"""Leave matrix products to the BLAS that torch brings, called from among the program's own kernels.

It does nothing unless the module says that there is a BLAS where the program will run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.libraries import may_use
from myjit.mlir.library_kernel import add_library_kernels, call_library_kernel
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.panels import MOST_ROWS, Registers, multiplies_well, registers
from myjit.mlir.parameters import LIBRARY_ELEMENTS
from myjit.mlir.products import Product, product
from myjit.mlir.structured import empty, generic
from myjit.mlir.tensors import size
from myjit.passes.base import Pass

#: Steps are numbers of 32 bits.
_MOST_ELEMENTS = 2**31


@dataclass(frozen=True)
class BlasProducts(Pass):
    """Replace products of at least `work` multiplications, `rows` rows and columns, `half_rows` of halves.

    Those that `multiply-by-panels` multiplies as fast are left to it, unless `always` is set. Sizes that are
    known only when the program runs count as large, and so does nothing at all, which BLAS can multiply and
    IREE cannot.
    """

    IS_TUNING: ClassVar[bool] = True

    work: int = 3 * 2**19
    rows: int = 16
    half_rows: int = 32
    always: bool = False

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module in place."""
        if not may_use(module, "blas"):
            return
        found = [product(op) for op in operations(module.operation) if op.name.startswith("linalg.")]
        has = None if self.always else registers(module)
        taken = [p for p in found if p and self._takes(p) and not (has and _is_for_panels(p, has))]
        calls = [call for p in taken if (call := _call(p)) is not None]
        if calls:
            add_library_kernels(module, sorted({call.product.element for call in calls}))
            for call in calls:
                call.replace()

    def _takes(self, p: Product) -> bool:
        rows, columns, depths = (n if n > 0 else math.inf for n in (p.rows, p.columns, p.depths))
        if p.element not in LIBRARY_ELEMENTS or rows * columns * depths < self.work:
            return False
        return min(rows, columns) >= (self.rows if p.element == "f32" else self.half_rows)


def _is_for_panels(p: Product, has: Registers) -> bool:
    """Tell whether panels multiply as fast as MKL, which is faster with float32 where there is AMX."""
    return multiplies_well(p.operation, has) and not (p.element == "f32" and has.tiles and _is_hard(p))


def _is_hard(p: Product) -> bool:
    """Tell whether a product is of many rows, or of rows that lie across: panels are slower at those."""
    row, side = (p.row, 0) if p.tensors[2][-1] == p.column else (p.column, 1)
    return p.extents[row] > MOST_ROWS or p.tensors[side][-1] != p.depth


#: How many elements a step goes on over: how often these loops run, all together; None for none.
_Step = tuple[int, ...] | None


@dataclass(frozen=True)
class _Side:
    """How a tensor lies: the step from one row (transposed: column) to the next, and steps over batches."""

    step: _Step
    transposed: bool
    batches: tuple[_Step, _Step]


@dataclass(frozen=True)
class _Call:
    """A product as BLAS sees it. `swapped`: as that of the transposed sides, the right one first."""

    product: Product
    row: int
    column: int
    sides: tuple[_Side, _Side, _Side]
    swapped: bool

    def replace(self) -> None:
        """Put the call in the product's place."""
        p = self.product
        first, second, start = p.operation.operands
        with p.operation.location, bindings(p.operation).ir.InsertionPoint(p.operation):
            numbers = {
                "rows": p.count([self.row]),
                "columns": p.count([self.column]),
                "depth": p.count([p.depth]),
                "inner_batches": p.count(p.batch[-1:]),
                "left_transposed": int(self.sides[0].transposed),
                "right_transposed": int(self.sides[1].transposed),
            }
            for name, side in zip(("left", "right", "result"), self.sides, strict=True):
                steps = (side.step, *side.batches)
                for kind, step in zip(("step", "outer", "inner"), steps, strict=True):
                    numbers[f"{name}_{kind}"] = 0 if step is None else p.count(step)
            tensors = (second, first) if self.swapped else (first, second)
            made = call_library_kernel(tensors, start, numbers, p.count(p.batch))
            if not Loops(p.operation).starts_from_zero():
                made = _sum(made, start)
        p.operation.results[0].replace_all_uses_with(made)
        p.operation.erase()


def _sum(left: Any, right: Any) -> Any:
    ir = bindings(left.owner).ir
    rank = ir.RankedTensorType(left.type).rank
    return generic(
        [left, right],
        empty(left, [size(right, dim) for dim in range(rank)]),
        [ir.AffineMap.get_identity(rank)] * 3,
        0,
        lambda ir, a, b, _: ir.Operation.create("arith.addf", [a.type], [a, b]).results[0],
    )


def _call(p: Product) -> _Call | None:
    """Describe a product to BLAS; None where BLAS has no words for it."""
    if len(p.batch) > 2:
        return None
    if p.is_static() and any(p.count(along) >= _MOST_ELEMENTS for along in p.tensors):
        return None
    left, right, result = (p.inside(tensor) for tensor in range(3))
    row, column = p.row, p.column
    swapped = not p.is_single(result[column])
    if swapped:
        left, right, row, column = right, left, column, row
    first = _side(p, left, row, p.depth)
    second = _side(p, right, p.depth, column)
    made = _side(p, result, row, column)
    if first is None or second is None or made is None or made.transposed:
        return None
    return _Call(p, row, column, (first, second, made), swapped)


def _side(p: Product, inside: dict[int, tuple[int, ...]], row: int, column: int) -> _Side | None:
    """Describe a tensor of `row` × `column`; None where neither lies one after the other, and apart.

    BLAS refuses steps that are shorter than what lies between them, with a message and no result.
    """
    outer, inner = (None, None, *(inside.get(loop) for loop in p.batch))[-2:]
    for outside, along, transposed in ((row, column, False), (column, row, True)):
        if p.is_single(inside[along]) and (along in inside[outside] or p.is_single([along])):
            return _Side(inside[outside], transposed, (outer, inner))
    return None
