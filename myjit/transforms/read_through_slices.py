"""Read elements of slices where they lie, in the tensor that the slice was taken of.

IREE's CPU code generator takes what a loop reads of a slice by its own index for neighbours in memory,
whatever lies between them (a column came out as part of a row, where sizes change), and refuses slices in
steps. Its GPU code generator takes places in a slice for places in the whole, where a dispatch loads the
slice (IREE 3.13; remove when tests/transforms/test_read_through_slices.py passes without).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.errors import PassError
from myjit.mlir.context import bindings
from myjit.mlir.diagnostics import from_location
from myjit.mlir.operations import operations
from myjit.mlir.slices import where, whole_type
from myjit.mlir.tensors import computed_apart, index
from myjit.passes.base import Pass

_RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")
#: What a dispatch reads of a tensor, all of it or a slice.
_LOAD = "iree_tensor_ext.dispatch.tensor.load"


@dataclass(frozen=True)
class ReadThroughSlices(Pass):
    """Let `tensor.extract` read what slices were taken of, at the places that the slices say."""

    def run(self, module: Any) -> None:
        """Rewrite an IREE-side module, or one of dispatches, in place.

        Raises:
            PassError: where a dispatch loads a slice, reshapes it and then reads it by places.
        """
        for dialect in ("arith", "iree_tensor_ext", "tensor"):
            module.context.dialects[dialect]  # loads it
        for op in [op for op in operations(module.operation) if op.name == "tensor.extract"]:
            if _is_sliced(op.operands[0]):
                _read_through(op)


def _is_sliced(value: Any) -> bool:
    """Tell whether a slice was taken on the way to a tensor, before reshapes or after."""
    name = getattr(value.owner, "name", "")
    if name in (*_RESHAPES, "tensor.cast"):
        return _is_sliced(value.owner.operands[0])
    return name == "tensor.extract_slice" or (name == _LOAD and _is_part(value.owner))


def _read_through(op: Any) -> None:
    ir = bindings(op).ir
    value, *places = op.operands
    with ir.InsertionPoint(op), op.location:
        while _is_sliced(value):
            found = _places_before(ir, value.owner, places)
            if found is None:
                break
            value, places = _source(ir, value.owner), found
    if _is_sliced(value):
        if _of_load(value):
            message = "IREE would take places in a part of a tensor for places in the whole"
            raise PassError(message, diagnostics=(from_location("error", message, str(op.location)),))
        with ir.InsertionPoint.after(value.owner), value.owner.location:
            value = computed_apart(value)
    with ir.InsertionPoint(op), op.location:
        read = ir.Operation.create("tensor.extract", [op.results[0].type], [value, *places])
    op.results[0].replace_all_uses_with(read.results[0])
    op.erase()


def _of_load(value: Any) -> bool:
    """Tell whether a tensor is part of another by what a dispatch loads, which no barrier keeps apart."""
    return value.owner.name == _LOAD or (value.owner.name in _RESHAPES and _of_load(value.owner.operands[0]))


@dataclass(frozen=True)
class _Slice:
    """Where a slice begins, and its sizes and steps: a number or a value for each dimension of its source."""

    source: Sequence[Any]  # the source's sizes, as far as the operation tells
    offsets: Sequence[Any]
    sizes: Sequence[Any]
    steps: Sequence[Any]

    @staticmethod
    def of(view: Any) -> _Slice:
        """Read what a slice, or the load of a dispatch, says."""
        ir = bindings(view).ir
        dynamic = ir.ShapedType.get_dynamic_size()
        told, given = view.name == _LOAD, iter(list(view.operands)[1:])
        shape = [next(given) if told and each == dynamic else each for each in whole_type(view).shape]
        return _Slice(shape, *where(view))


def _is_part(load: Any) -> bool:
    part = _Slice.of(load)
    return any(whole != size for whole, size in zip(part.source, part.sizes, strict=True))


def _source(ir: Any, view: Any) -> Any:
    """Return what a view is of; beside the load of a part by a dispatch, one of the whole."""
    if view.name != _LOAD:
        return view.operands[0]
    sizes, kind = _Slice.of(view).source, whole_type(view)
    given = [each for each in sizes if not isinstance(each, int)]
    static = [each if isinstance(each, int) else ir.ShapedType.get_dynamic_size() for each in sizes]
    attributes = {
        "static_offsets": ir.DenseI64ArrayAttr.get([0 for _ in sizes]),
        "static_sizes": ir.DenseI64ArrayAttr.get(static),
        "static_strides": ir.DenseI64ArrayAttr.get([1 for _ in sizes]),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, len(given), 0, len(given), 0]),
    }
    with ir.InsertionPoint(view), view.location:
        return ir.Operation.create(_LOAD, [kind], [view.operands[0], *given, *given], attributes).results[0]


def _places_before(ir: Any, view: Any, places: Sequence[Any]) -> list[Any] | None:
    """Return where an element of a view lies in what the view is of; `None` for reshapes that count."""
    if view.name == "tensor.cast":
        return list(places)
    if view.name in ("tensor.extract_slice", _LOAD):
        return _places_in_source(ir, view, places)
    shapes = [ir.RankedTensorType(value.type).shape for value in (view.operands[0], view.results[0])]
    groups = [[each.value for each in group] for group in view.attributes["reassociation"]]
    if view.name == "tensor.collapse_shape":
        return _spread(ir, shapes[0], groups, places)
    return _gathered(ir, shapes[1], groups, places)


def _places_in_source(ir: Any, view: Any, places: Sequence[Any]) -> list[Any]:
    part = _Slice.of(view)
    left = list(zip(ir.RankedTensorType(view.results[0].type).shape, places, strict=True))
    found = []
    for offset, size, step in zip(part.offsets, part.sizes, part.steps, strict=True):
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
