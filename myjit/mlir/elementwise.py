"""Dispatches that compute a tensor element by element, seen with other dimensions than their loops'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.arithmetic import is_arithmetic
from myjit.mlir.boxes import Box
from myjit.mlir.context import bindings
from myjit.mlir.flow_updates import written
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.tile_memories import is_plain

LOAD, STORE = "iree_tensor_ext.dispatch.tensor.load", "iree_tensor_ext.dispatch.tensor.store"
KINDS = ("offsets", "sizes", "strides")
_IDLE = ("arith.constant", "tensor.empty", "func.return")


@dataclass(frozen=True)
class Input:
    """A tensor that loops read, seen with `shape`: which loop each of its dimensions lies along.

    With a `box`, those are its elements there, whose sizes other than 1 are those of `shape`.
    """

    tensor: Any
    shape: tuple[int, ...]
    loops: tuple[int, ...]
    box: Box | None = None

    def part(self, box: Box) -> tuple[Box, list[int]]:
        """Return which elements of the tensor belong to a box of the loops', and how many along each loop."""
        own = Box(*(tuple(numbers[loop] for loop in self.loops) for numbers in box.lists()))
        if self.box is None:
            return own, list(own.sizes)
        whole = self.box
        places = [place for place, size in enumerate(self.shape) if size != 1]
        for dim, place in zip(self.box.long(), places, strict=True):
            offset, step = whole.offsets[dim], whole.steps[dim]
            first = offset + own.offsets[place] * step
            whole = whole.along(dim, first, own.sizes[place], own.steps[place] * step)
        return whole, list(own.sizes)


@dataclass(frozen=True)
class Elementwise:
    """Loops over tensors, and the dispatch that runs them."""

    dispatch: Any
    operation: Any
    shape: tuple[int, ...]
    inputs: tuple[Input, ...]

    def seen_as(self, shape: Sequence[int]) -> Elementwise | None:
        """Return the loops with some of them split, so that they go through a tensor of `shape`."""
        groups = _split(self.shape, shape)
        if groups is None:
            return None
        inputs = []
        for each in self.inputs:
            loops = tuple(dim for loop in each.loops for dim in groups[loop])
            inputs.append(Input(each.tensor, tuple(shape[dim] for dim in loops), loops))
        return Elementwise(self.dispatch, self.operation, tuple(shape), tuple(inputs))

    def through_copies(self, executables: Mapping[str, Any]) -> Elementwise:
        """Return the loops with what others have copied read from where it comes from."""
        inputs = tuple(_behind_copy(executables, each) for each in self.inputs)
        return Elementwise(self.dispatch, self.operation, self.shape, inputs)

    def element_type(self) -> Any:
        """Return the type of an element of the result."""
        ir = bindings(self.operation).ir
        return ir.RankedTensorType(self.operation.results[0].type).element_type


def _split(shape: Sequence[int], finer: Sequence[int]) -> list[list[int]] | None:
    """Return the dimensions of `finer` that each dimension of a tensor is split into."""
    groups: list[list[int]] = []
    dim = 0
    for extent in shape:
        group: list[int] = []
        count = 1
        while count < extent and dim < len(finer):
            count *= finer[dim]
            group.append(dim)
            dim += 1
        if count != extent:
            return None
        groups.append(group)
    rest = range(dim, len(finer))
    return groups if all(finer[each] == 1 for each in rest) else None


def elementwise(executables: Mapping[str, Any], op: Any) -> Elementwise | None:
    """Return what a dispatch computes, if it reads whole tensors, in the order of its result, once each."""
    if op.name != "flow.dispatch" or len(op.results) != 1 or written(op):
        return None
    count = len(op.operands)
    if list(op.attributes["operandSegmentSizes"]) != [0, count, 0, 0]:
        return None
    if not all(is_static(value) for value in (*op.operands, *op.results)):
        return None
    function = function_of(executables, op)
    block = function.regions[0].blocks[0]
    ops = [each.operation for each in block if each.operation.name not in _IDLE]
    loads, rest = ops[:-2], ops[-2:]
    if [each.name for each in rest] != ["linalg.generic", STORE] or {each.name for each in loads} != {LOAD}:
        return None
    loops, store = rest
    arguments = list(block.arguments)
    if store.operands[0] != loops.results[0] or store.operands[1] != arguments[-1]:
        return None
    tensors = {each.results[0]: op.operands[arguments.index(each.operands[0])] for each in loads}
    whole = all(_is_whole(value.owner, value, tensor) for value, tensor in tensors.items())
    if not whole or not _is_whole(store, store.operands[0], op.results[0]):
        return None
    return _through(op, loops, tensors)


def _through(dispatch: Any, op: Any, tensors: Mapping[Any, Any]) -> Elementwise | None:
    """Return the loops of an operation that reads loaded tensors."""
    loops = Loops(op)
    *along, result = loops.along()
    extents = loops.extents()
    if "reduction" in loops.iterators or result != list(range(len(extents))) or not is_arithmetic(op):
        return None
    inputs = []
    for value, dims in zip(list(op.operands)[:-1], along, strict=True):
        if value not in tensors or -1 in dims or dims != sorted(set(dims)):
            return None
        inputs.append(Input(tensors[value], tuple(extents[dim] for dim in dims), tuple(dims)))
    return Elementwise(dispatch, op, tuple(extents), tuple(inputs)) if inputs else None


def _behind_copy(executables: Mapping[str, Any], each: Input) -> Input:
    tensor = each.tensor
    while getattr(tensor.owner, "name", "") == "flow.tensor.reshape":
        tensor = tensor.owner.operands[0]
    box = _copied(executables, tensor)
    if box is None or each.box is not None:
        return each
    fits = [size for size in box.sizes if size != 1] == [size for size in each.shape if size != 1]
    if not fits or len(box.sizes) < len(each.shape):
        return each
    return Input(tensor.owner.operands[0], each.shape, each.loops, box)


def _copied(executables: Mapping[str, Any], tensor: Any) -> Box | None:
    """Return the box of another tensor that a dispatch copies."""
    op = tensor.owner
    if getattr(op, "name", "") != "flow.dispatch" or written(op) or len(op.results) != 1:
        return None
    if list(op.attributes["operandSegmentSizes"]) != [0, 1, 0, 0] or not is_static(op.operands[0]):
        return None
    block = function_of(executables, op).regions[0].blocks[0]
    ops = [each.operation for each in block if each.operation.name not in _IDLE]
    if [each.name for each in ops] != [LOAD, STORE] or ops[1].operands[0] != ops[0].results[0]:
        return None
    return static_box(ops[0]) if _is_whole(ops[1], ops[0].results[0], tensor) else None


def _is_whole(op: Any, part: Any, tensor: Any) -> bool:
    """Tell whether what is loaded, or stored, are all elements of a tensor."""
    ir = bindings(op).ir
    shape = ir.RankedTensorType(tensor.type).shape
    return static_box(op) == Box.whole(shape) and ir.RankedTensorType(part.type).shape == shape


def static_box(op: Any) -> Box | None:
    """Return the box of a dispatch's tensor that is loaded, or stored; None where it is not known."""
    box = Box(*(tuple(op.attributes[f"static_{kind}"]) for kind in KINDS))
    dynamic = bindings(op).ir.ShapedType.get_dynamic_size()
    return None if any(dynamic in numbers for numbers in box.lists()) else box


def is_static(value: Any) -> bool:
    """Tell whether a value is a tensor whose sizes are known, and which memory holds as it is."""
    ir = bindings(value).ir
    if not isinstance(value.type, ir.RankedTensorType):
        return False
    return ir.RankedTensorType(value.type).has_static_shape and is_plain(value)


def function_of(executables: Mapping[str, Any], dispatch: Any) -> Any:
    """Return the function that a dispatch calls."""
    (entry,) = dispatch.attributes["entry_points"]
    (function,) = [op for op in operations(executables[entry.value[0]]) if op.name == "func.func"]
    return function
