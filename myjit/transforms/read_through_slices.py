"""Read elements of slices where they lie, in the tensor that the slice was taken of.

IREE's CPU code generator takes what a loop reads of a slice by its own index for neighbours in memory,
whatever lies between them: a column came out as part of a row, where sizes change; it refuses slices in steps
(IREE 3.13; remove when tests/transforms/test_read_through_slices.py passes without).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations
from myjit.mlir.tensors import computed_apart, index
from myjit.passes.base import Pass, functions

_RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")


@dataclass(frozen=True)
class ReadThroughSlices(Pass):
    """Let `tensor.extract` read what slices were taken of, at the places that the slices say."""

    def run(self, module: Any) -> None:
        """Rewrite every function of an IREE-side module in place."""
        for dialect in ("arith", "iree_tensor_ext", "tensor"):
            module.context.dialects[dialect]  # loads it
        for function in functions(module):
            for op in [op for op in operations(function) if op.name == "tensor.extract"]:
                if _is_sliced(op.operands[0]):
                    _read_through(op)


def _is_sliced(value: Any) -> bool:
    """Tell whether a slice was taken on the way to a tensor, before reshapes or after."""
    name = getattr(value.owner, "name", "")
    if name in (*_RESHAPES, "tensor.cast"):
        return _is_sliced(value.owner.operands[0])
    return name == "tensor.extract_slice"


def _read_through(op: Any) -> None:
    ir = bindings(op).ir
    value, *places = op.operands
    with ir.InsertionPoint(op), op.location:
        while _is_sliced(value):
            found = _places_before(ir, value.owner, places)
            if found is None:
                break
            value, places = value.owner.operands[0], found
    if _is_sliced(value):
        with ir.InsertionPoint.after(value.owner), value.owner.location:
            value = computed_apart(value)
    with ir.InsertionPoint(op), op.location:
        read = ir.Operation.create("tensor.extract", [op.results[0].type], [value, *places])
    op.results[0].replace_all_uses_with(read.results[0])
    op.erase()


def _places_before(ir: Any, view: Any, places: Sequence[Any]) -> list[Any] | None:
    """Return where an element of a view lies in what the view is of; `None` for reshapes that count."""
    if view.name == "tensor.cast":
        return list(places)
    if view.name == "tensor.extract_slice":
        return _places_in_source(ir, view, places)
    shapes = [ir.RankedTensorType(value.type).shape for value in (view.operands[0], view.results[0])]
    groups = [[each.value for each in group] for group in view.attributes["reassociation"]]
    if view.name == "tensor.collapse_shape":
        return _spread(ir, shapes[0], groups, places)
    return _gathered(ir, shapes[1], groups, places)


def _places_in_source(ir: Any, view: Any, places: Sequence[Any]) -> list[Any]:
    given = iter(list(view.operands)[1:])
    dynamic = ir.ShapedType.get_dynamic_size()
    offsets, sizes, steps = (
        [next(given) if each == dynamic else each for each in view.attributes[f"static_{kind}"]]
        for kind in ("offsets", "sizes", "strides")
    )
    left = list(zip(ir.RankedTensorType(view.results[0].type).shape, places, strict=True))
    found = []
    for offset, size, step in zip(offsets, sizes, steps, strict=True):
        kept = bool(left) and (left[0][0] == size or not isinstance(size, int))
        place = left.pop(0)[1] if kept else None
        found.append(_value(ir, offset) if size == 1 else _moved(ir, place, offset, step))
    return found


def _spread(ir: Any, shape: Sequence[int], groups: Sequence[Sequence[int]], places: Sequence[Any]) -> Any:
    """Return the places before dimensions were merged, if no more than one of each group counts."""
    found: dict[int, Any] = {}
    for group, place in zip(groups, places, strict=True):
        counting = [dim for dim in group if shape[dim] != 1]
        if len(counting) > 1:
            return None
        found |= {dim: place if dim in counting else index(ir, 0) for dim in group}
    return [found[dim] for dim in range(len(shape))]


def _gathered(ir: Any, shape: Sequence[int], groups: Sequence[Sequence[int]], places: Sequence[Any]) -> Any:
    """Return the places before dimensions were split, if no more than one of each group counts."""
    found = []
    for group in groups:
        counting = [dim for dim in group if shape[dim] != 1]
        if len(counting) > 1:
            return None
        found.append(places[counting[0]] if counting else index(ir, 0))
    return found


def _moved(ir: Any, place: Any, offset: Any, step: Any) -> Any:
    kind = ir.IndexType.get()
    if step != 1:
        place = ir.Operation.create("arith.muli", [kind], [place, _value(ir, step)]).results[0]
    if offset == 0:
        return place
    return ir.Operation.create("arith.addi", [kind], [place, _value(ir, offset)]).results[0]


def _value(ir: Any, number: Any) -> Any:
    return index(ir, number) if isinstance(number, int) else number
