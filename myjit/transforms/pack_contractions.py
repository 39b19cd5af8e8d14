"""Mark the matrix products whose operands IREE should pack into tiles before it multiplies.

Packing costs a pass over both operands and the result. It pays where a row of the packed side is used
often, and where the side lies badly for vectors as it is: transposed, in rows too long for the page
tables, or in rows that no vector divides. A side that IREE packs once, when the module is loaded, pays
sooner. IREE's data tiling would pack every product; its flag has to be on for the marks to count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.products import Product, product
from myjit.passes.base import Pass

#: IREE's own mark. On a function it only tells IREE not to choose products by itself.
_MARK = "iree.opt.data_tiling"
_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")


@dataclass(frozen=True)
class PackContractions(Pass):
    """Mark products of at least `rows` rows, or `held_rows` where a side is a weight packed at load.

    Of those of which no side is transposed, only the ones with rows of at least `long` elements or of
    a length that is no multiple of `multiple`. Of those of which the right side is, only the ones that
    have `reuse` times as much to compute as to pack, or rows in a number that is no multiple of `even`.
    """

    IS_TUNING: ClassVar[bool] = True

    rows: int = 96
    held_rows: int = 32
    long: int = 768
    multiple: int = 16
    even: int = 8
    reuse: int = 64

    def run(self, module: Any) -> None:
        """Mark products in every function of an IREE-side module."""
        mark = bindings(module).ir.UnitAttr.get()
        seen: set[Any] = set()
        for op in reversed(list(operations(module.operation))):
            if op.name == "util.func":
                op.attributes[_MARK] = mark
            elif op.name.startswith("linalg.") and (_MARK in op.attributes or self._pays(op)):
                op.attributes[_MARK] = mark
                for source in _products_behind(op.operands[0], seen):
                    source.attributes[_MARK] = mark

    def _pays(self, op: Any) -> bool:
        found = _product(op)
        if found is None:
            return False
        rows, columns = found.rows, found.columns
        if any(_is_held(operand) for operand in list(op.operands)[:2]):
            return min(rows, columns) >= self.held_rows
        if rows < self.rows:
            return False
        odd = columns % self.multiple != 0
        left, right = found.tensors[0][-1] != found.depth, found.tensors[1][-1] == found.depth
        if not left and not right:
            return odd or columns >= self.long
        # Over both operands and the result, beside the product.
        passes = 1 / rows + 1 / columns + 1 / found.depths
        return left or odd or rows % self.even != 0 or passes * self.reuse < 1


def _products_behind(value: Any, seen: set[Any]) -> Iterator[Any]:
    """Yield the products whose results reach `value` through plain loops and reshapes, unless `seen`.

    IREE packs `value` where it is computed. Done at the end of a product that is not packed itself, that
    leaves the product one column at a time: nine times slower for the second one of an attention.
    """
    waiting = [value]
    while waiting:
        owner = waiting.pop().owner
        name = getattr(owner, "name", "")
        if not name.startswith(("linalg.", "tensor.")) or owner.operation in seen:
            continue
        operation = owner.operation
        seen.add(operation)
        if name.startswith("linalg.") and _product(operation) is not None:
            yield operation
        elif name in _RESHAPES or (
            name == "linalg.generic" and "reduction" not in Loops(operation).iterators
        ):
            waiting.extend(operation.operands)


def _product(op: Any) -> Product | None:
    found = product(op)
    if found is None or found.element != "f32" or len(found.batch) > 1:
        return None
    if min(found.rows, found.columns, found.depths) < 1:
        return None
    return found if all(loop in side for loop in found.batch for side in found.tensors) else None


def _is_held(value: Any) -> bool:
    """Tell whether a tensor comes from a global alone, so that IREE can pack it once."""
    owner = value.owner
    while owner is not None and getattr(owner, "name", "") != "util.global.load":
        operands = list(getattr(owner, "operands", ()))
        if len(operands) != 1:
            return False
        owner = operands[0].owner
    return owner is not None
