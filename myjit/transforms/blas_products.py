"""Leave matrix products to the BLAS that torch brings, called from among the program's own kernels.

It does nothing unless the module says that there is a BLAS where the program will run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.libraries import may_call
from myjit.mlir.library_kernel import add_library_kernels, call_library_kernel
from myjit.mlir.operations import operations
from myjit.mlir.parameters import LIBRARY_ELEMENTS
from myjit.mlir.products import Product, product
from myjit.mlir.structured import empty, generic
from myjit.passes.base import Pass

#: Steps are numbers of 32 bits.
_MOST_ELEMENTS = 2**31


@dataclass(frozen=True)
class BlasProducts(Pass):
    """Replace products of at least `work` multiplications, `rows` rows and columns, `half_rows` of halves."""

    IS_TUNING: ClassVar[bool] = True

    work: int = 3 * 2**19
    rows: int = 8
    half_rows: int = 32

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module in place."""
        if not may_call(module, "blas"):
            return
        found = [product(op) for op in operations(module.operation) if op.name.startswith("linalg.")]
        taken = [p for p in found if p and self._takes(p)]
        calls = [call for p in taken if (call := _call(p)) is not None]
        if calls:
            add_library_kernels(module, sorted({call.product.element for call in calls}))
            for call in calls:
                call.replace()

    def _takes(self, p: Product) -> bool:
        if p.element not in LIBRARY_ELEMENTS or p.rows * p.columns * p.depths < self.work:
            return False
        return min(p.rows, p.columns) >= (self.rows if p.element == "f32" else self.half_rows)


@dataclass(frozen=True)
class _Side:
    """How a tensor lies: the step from one row (transposed: column) to the next, and steps over batches."""

    step: int
    transposed: bool
    batches: tuple[int, int]


@dataclass(frozen=True)
class _Call:
    """A product as BLAS sees it. `swapped`: as that of the transposed sides, the right one first."""

    product: Product
    rows: int
    columns: int
    batches: tuple[int, int]
    sides: tuple[_Side, _Side, _Side]
    swapped: bool

    def replace(self) -> None:
        """Put the call in the product's place."""
        operation = self.product.operation
        first, second, start = operation.operands
        numbers = {
            "rows": self.rows,
            "columns": self.columns,
            "depth": self.product.depths,
            "inner_batches": self.batches[1],
            "left_transposed": int(self.sides[0].transposed),
            "right_transposed": int(self.sides[1].transposed),
        }
        for name, side in zip(("left", "right", "result"), self.sides, strict=True):
            numbers[f"{name}_step"] = side.step
            numbers[f"{name}_outer"], numbers[f"{name}_inner"] = side.batches
        tensors = (second, first) if self.swapped else (first, second)
        made = call_library_kernel(operation, tensors, start.type, numbers, math.prod(self.batches))
        if not self.product.starts_from_zero():
            with operation.location, bindings(operation).ir.InsertionPoint(operation):
                made = _sum(made, start)
        operation.results[0].replace_all_uses_with(made)
        operation.erase()


def _sum(left: Any, right: Any) -> Any:
    ir = bindings(left.owner).ir
    kind = ir.RankedTensorType(left.type)
    maps = [ir.AffineMap.get_identity(kind.rank)] * 3
    return generic(
        [left, right],
        empty(left, kind.shape),
        maps,
        0,
        lambda ir, a, b, _: ir.Operation.create("arith.addf", [a.type], [a, b]).results[0],
    )


def _call(p: Product) -> _Call | None:
    """Describe a product to BLAS; None where BLAS has no words for it."""
    if not p.is_static() or len(p.batch) > 2:
        return None
    if any(math.prod(p.extents[loop] for loop in along) >= _MOST_ELEMENTS for along in p.tensors):
        return None
    left, right, result = p.strides
    row, column = p.row, p.column
    swapped = result[column] != 1
    if swapped:
        left, right, row, column = right, left, column, row
    first = _side(p, left, row, p.depth)
    second = _side(p, right, p.depth, column)
    made = _side(p, result, row, column)
    if first is None or second is None or made is None or made.transposed:
        return None
    batches = _two([p.extents[loop] for loop in p.batch], missing=1)
    return _Call(p, p.extents[row], p.extents[column], batches, (first, second, made), swapped)


def _side(p: Product, strides: dict[int, int], row: int, column: int) -> _Side | None:
    """Describe a tensor of `row` × `column`; None where neither lies one after the other, and apart.

    BLAS refuses steps that are shorter than what lies between them, with a message and no result.
    """
    batches = _two([strides.get(loop, 0) for loop in p.batch], missing=0)
    if strides[column] == 1 and strides[row] >= p.extents[column]:
        return _Side(strides[row], False, batches)
    if strides[row] == 1 and strides[column] >= p.extents[row]:
        return _Side(strides[column], True, batches)
    return None


def _two(values: list[int], *, missing: int) -> tuple[int, int]:
    """Return up to two values as two, the outer one `missing` first."""
    outer, inner = [missing] * (2 - len(values)) + values
    return outer, inner
