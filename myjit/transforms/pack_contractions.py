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
from myjit.mlir.panels import Registers, multiplies_well, registers
from myjit.mlir.products import Product, product
from myjit.passes.base import Pass

#: IREE's own mark. On a function it only tells IREE not to choose products by itself.
_MARK = "iree.opt.data_tiling"
_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")


@dataclass(frozen=True)
class PackContractions(Pass):
    """Mark products of at least `rows` rows and `columns`, or `held_rows` where a weight is packed at load.

    Of those of which no side is transposed, only the ones with rows of at least `long` elements or of
    a length that is no multiple of `multiple`. Of those of which the right side is, only the ones that
    have `reuse` times as much to compute as to pack, or rows in a number that is no multiple of `even`.
    What `multiply-by-panels` multiplies as fast is left to it, unless `always` is set.
    """

    IS_TUNING: ClassVar[bool] = True

    rows: int = 96
    columns: int = 8
    held_rows: int = 32
    long: int = 768
    multiple: int = 16
    even: int = 8
    reuse: int = 64
    always: bool = False

    def run(self, module: Any) -> None:
        """Mark products in every function of an IREE-side module."""
        has = None if self.always else registers(module)
        mark = bindings(module).ir.UnitAttr.get()
        seen: set[Any] = set()
        for op in reversed(list(operations(module.operation))):
            if op.name == "util.func":
                op.attributes[_MARK] = mark
            elif op.name.startswith("linalg.") and (_MARK in op.attributes or self._pays(op, has)):
                for each in (op, *_beside(op), *_products_behind(op.operands[0], seen)):
                    each.attributes[_MARK] = mark

    def _pays(self, op: Any, has: Registers | None) -> bool:
        found = _product(op)
        if found is None or _meets_booleans(op) or (has and multiplies_well(op, has)):
            return False
        rows, columns = found.rows, found.columns
        if any(_is_held(operand) for operand in list(op.operands)[:2]):
            return min(rows, columns) >= self.held_rows
        if rows < self.rows or columns < self.columns:
            return False
        odd = columns % self.multiple != 0
        left, right = found.tensors[0][-1] != found.depth, found.tensors[1][-1] == found.depth
        if not left and not right:
            return odd or columns >= self.long
        # Over both operands and the result, beside the product.
        passes = 1 / rows + 1 / columns + 1 / found.depths
        return left or odd or rows % self.even != 0 or passes * self.reuse < 1


def _meets_booleans(op: Any) -> bool:
    """Tell whether what is computed of a product, element by element, takes a tensor of booleans too.

    IREE would pack that one like the product, and refuses its elements (IREE 3.13).
    """
    return any(str(v.type).endswith("xi1>") for loops in _loops_after(op) for v in loops.operands)


def _beside(op: Any) -> Iterator[Any]:
    """Yield the products whose results meet a product's, element by element, and nothing else.

    IREE packs them like the product. One that is not packed itself it then computes in vectors as long as
    its rows, which it refuses.
    """
    waiting = [value for loops in _loops_after(op) for value in loops.operands]
    seen = {op.results[0]}
    while waiting:
        value = waiting.pop()
        owner = getattr(value.owner, "operation", None)
        if owner is None or value in seen or len(list(value.uses)) > 1:
            continue
        seen.add(value)
        if owner.name.startswith("linalg.") and _product(owner) is not None:
            yield owner
        elif owner.name in _RESHAPES or _is_plain(owner):
            waiting.extend(owner.operands)


def _loops_after(op: Any) -> list[Any]:
    """Return what computes, element by element, on a product's result, through reshapes."""
    waiting, found = [op.results[0]], []
    while waiting:
        for use in waiting.pop().uses:
            user = use.owner.operation
            if (user.name in _RESHAPES or _is_plain(user)) and user not in found:
                found.append(user)
                waiting.extend(user.results)
    return [each for each in found if each.name == "linalg.generic"]


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
            if not _meets_booleans(operation):
                yield operation
        elif name in _RESHAPES or _is_plain(operation):
            waiting.extend(operation.operands)


def _is_plain(op: Any) -> bool:
    """Tell whether an operation's loops compute each element by itself."""
    return op.name == "linalg.generic" and "reduction" not in Loops(op).iterators


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
