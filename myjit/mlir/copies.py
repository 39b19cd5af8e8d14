"""What dispatches copy, as it is or computed by elements: boxes, from where they lie to where they go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.arithmetic import finds, is_arithmetic
from myjit.mlir.bodies import EXTRACT
from myjit.mlir.boxes import Box, around
from myjit.mlir.constants import repeated_number
from myjit.mlir.context import bindings
from myjit.mlir.indexed import indexed
from myjit.mlir.loops import Loops
from myjit.mlir.tile_memories import LOAD, is_plain
from myjit.mlir.views import Computed, Elements, InTurn, View

_BINDING = "hal.interface.binding.subspan"
_STORE, _TO_BUFFER = "iree_codegen.store_to_buffer", "bufferization.to_buffer"
_INSERT, _EXTRACT = "tensor.insert_slice", "tensor.extract_slice"


@dataclass(frozen=True)
class Copy:
    """Elements that go from a source to a target, by loops: extent, stride of the target, of the source."""

    target: View
    source: Elements | InTurn

    def loops(self) -> list[tuple[int, ...]]:
        """Return the loops, outermost first, with those made one that run on where another ends.

        Each as its extent and the strides of the target and of the source's leaves.
        """
        made: list[tuple[int, ...]] = []
        leaves = [leaf.strides for leaf in self.source.leaves()]
        for extent, *strides in zip(self.target.shape, self.target.strides, *leaves, strict=True):
            if extent != 1:
                runs_on = bool(made) and list(made[-1][1:]) == [extent * stride for stride in strides]
                outer = made.pop()[0] if runs_on else 1
                made.append((outer * extent, *strides))
        return made or [(1, 1, *(1 for _ in leaves))]

    def across(self) -> int | None:
        """Return the loop along which elements lie side by side that do not lie so along the target's.

        None where there are no such leaves of the source, or they have no such loop in common.
        """
        *outer, (_, to, *from_) = self.loops()
        lying = [place for place, stride in enumerate(from_) if lies_apart(stride)]
        if to != 1 or not lying or isinstance(self.source, InTurn):
            return None
        for place, (_, step, *strides) in enumerate(outer):
            if step != 1 and all(strides[leaf] == 1 for leaf in lying):
                return place
        return None


def lies_apart(stride: int) -> bool:
    """Tell whether elements lie too far apart for a vector of them to be taken out of few that are loaded."""
    return stride not in (-1, 0, 1, 2)


def copies(function: Any) -> list[Copy] | None:
    """Return what a kernel of static shapes copies; None where it does anything else."""
    found: list[Copy] = []
    for op in (each.operation for each in function.regions[0].blocks[0]):
        if op.name == _STORE:
            written = _stored(op.operands[0], _view(op.operands[1]))
        elif op.name == "linalg.generic" and not list(op.results):
            written = _moved(op)
        elif op.name in _IDLE or (op.name in ("linalg.generic", "linalg.fill") and list(op.results)):
            continue
        else:
            return None
        if written is None:
            return None
        found += written
    return _in_turn([copy for copy in found if math.prod(copy.target.shape)])


def _in_turn(copies: Sequence[Copy]) -> list[Copy]:
    """Return copies of which two that fill every other element, of the same rows, are one."""
    made: list[Copy] = []
    for copy in copies:
        place = next((place for place, other in enumerate(made) if _lie_in_turn(other, copy)), None)
        if place is None:
            made.append(copy)
        else:
            first, second = sorted((made[place], copy), key=lambda each: each.target.offset)
            assert not isinstance(first.source, InTurn) and not isinstance(second.source, InTurn)
            made[place] = Copy(first.target, InTurn((first.source, second.source)))
    return made


def _lie_in_turn(one: Copy, other: Copy) -> bool:
    a, b = one.target, other.target
    if isinstance(one.source, InTurn) or abs(a.offset - b.offset) != 1 or a.memory != b.memory:
        return False
    return (a.shape, a.strides) == (b.shape, b.strides) and one.loops()[-1][1] == other.loops()[-1][1] == 2


#: What a kernel may hold beside stores: what they are made of, and where memories lie.
_IDLE = (
    *("arith.constant", "memref.subview", "memref.assume_alignment", _BINDING, LOAD, "func.return"),
    *("tensor.empty", _INSERT, _EXTRACT, _TO_BUFFER),
    *("hal.interface.constant.load", "arith.index_cast", "arith.index_castui", "util.assume.int"),
)


def _stored(tensor: Any, target: View | None) -> list[Copy] | None:
    """Return the copies that put a tensor where it is stored."""
    if target is None:
        return None
    found = _looked_up(tensor, target)
    if found is not None:
        return [found]
    pieces = _pieces(tensor)
    if pieces is None:
        return None
    return [Copy(target.box(box).without_ones(piece.shape), piece) for box, piece in pieces]


def _looked_up(tensor: Any, target: View) -> Copy | None:
    """Return what loops copy that look elements up by arithmetic on their indices, as it is or computed."""
    op = getattr(tensor.owner, "operation", tensor.owner)
    if _name(tensor) != "linalg.generic" or not _in_place(op):
        return None
    *body, end = (each.operation for each in op.regions[0].blocks[0])
    as_it_is = all(map(finds, body)) and [_name(value) for value in end.operands] == [EXTRACT]
    loops, places = Loops(op).extents(), indexed(op)
    if places is None or not (as_it_is or is_arithmetic(op, indexed=True)):
        return None
    inputs: list[Elements | None] = []
    for place in range(len(op.operands) - 1):
        seen = _seen(op, place, loops)
        inputs.append(seen and seen.split(places.parts))
    for value, sums in places.indices:
        source = _source(value)
        inputs.append(places.read(sums, source) if isinstance(source, View) else None)
    found = tuple(each for each in inputs if each is not None)
    if len(found) != len(inputs):
        return None
    target = target.split(places.parts)
    return Copy(target, found[0] if as_it_is and len(found) == 1 else Computed(op, found, target.shape))


def _pieces(tensor: Any) -> list[tuple[Box, Elements]] | None:
    """Return what a tensor is put together from: parts that are inserted, and what is around them."""
    parts: list[tuple[Box, Elements]] = []
    whole = Box.whole(_shape(tensor))
    if _name(tensor) == "linalg.generic" and _computes(tensor.owner.operation):
        return _computed_pieces(tensor.owner.operation)
    while _name(tensor) == _INSERT:
        box, part = _static_box(tensor.owner), _source(tensor.owner.operands[0])
        if box is None or part is None:
            return None
        parts.append((box, part))
        tensor = tensor.owner.operands[1]
    rest = around(whole.sizes, [box for box, _ in parts])
    if rest is None:
        return None
    if _name(tensor) == "tensor.empty":
        return parts
    source = _source(tensor)
    if source is None or source.shape != whole.sizes:
        return None
    return parts + [(each, source.box(each)) for each in rest]


def _computed_pieces(op: Any) -> list[tuple[Box, Elements]] | None:
    """Return what loops make of tensors of which one, of the loops' own order, may be put together."""
    loops, inputs = Loops(op), list(op.operands)[:-1]
    extents, order = loops.extents(), list(range(len(loops.iterators)))
    joined = [place for place, value in enumerate(inputs) if _name(value) == _INSERT]
    if not joined:
        source = _computed(op)
        return None if source is None else [(Box.whole(source.shape), source)]
    place = joined[0]
    others = [_seen(op, each, extents) for each in range(len(inputs)) if each != place]
    pieces = _pieces(inputs[place])
    if loops.along()[place] != order or pieces is None:
        return None
    found: list[tuple[Box, Elements]] = []
    for box, piece in pieces:
        seen = [each.box(box).without_ones(piece.shape) for each in others if each is not None]
        seen.insert(place, piece)
        found.append((box, Computed(op, tuple(seen), piece.shape)))
    return found if None not in others else None


def _seen(op: Any, place: int, extents: Sequence[int]) -> Elements | None:
    """Return what loops read of an operand, by the loops."""
    source, loops = _source(op.operands[place]), Loops(op)
    return source and source.along(loops.along()[place], range(len(extents)), extents)


def _computed(op: Any) -> Computed | None:
    """Return what loops compute of single elements."""
    extents = Loops(op).extents()
    inputs = [_seen(op, place, extents) for place in range(len(op.operands) - 1)]
    sources = tuple(each for each in inputs if each is not None)
    return Computed(op, sources, tuple(extents)) if len(sources) == len(inputs) and sources else None


def _computes(op: Any) -> bool:
    """Tell whether loops compute elements of a tensor, each in its place, by some arithmetic."""
    return _in_place(op) and is_arithmetic(op)


def _in_place(op: Any) -> bool:
    """Tell whether loops make each element of a tensor in its place, of one element of each input."""
    loops = Loops(op)
    in_order = loops.along()[-1] == list(range(len(loops.iterators)))
    return in_order and "reduction" not in loops.iterators and loops.is_plain()


def _moved(op: Any) -> list[Copy] | None:
    """Return what loops over memory copy."""
    source, target = _rearranged(op, _view), _view(op.operands[len(op.operands) - 1])
    if source is None or target is None or source.shape != target.shape:
        return None
    return [Copy(target, source)]


def _source(tensor: Any) -> Elements | None:
    """Return where a tensor's elements lie."""
    owner, name = tensor.owner, _name(tensor)
    if name == LOAD:
        return _view(owner.operands[0])
    if name == _EXTRACT:
        source, box = _source(owner.operands[0]), _static_box(owner)
        if source is None or box is None:
            return None
        return source.box(box).without_ones(_shape(tensor))
    if name == "linalg.generic":
        moved = _rearranged(owner.operation, _source)
        return moved if moved is not None or not _computes(owner.operation) else _computed(owner.operation)
    return _repeated(tensor)


def _repeated(tensor: Any) -> View | None:
    """Return the elements of a tensor that are all one number."""
    number, shape = repeated_number(tensor), _shape(tensor)
    return None if number is None or not is_plain(tensor) else View(None, 0, shape, (0,) * len(shape), number)


def _rearranged(op: Any, view: Any) -> Any:
    """Return where loops find the elements that they move, in the order of their result."""
    loops = Loops(op)
    ops = list(op.regions[0].blocks[0])
    maps = loops.along()
    if len(maps) != 2 or len(ops) != 1 or "reduction" in loops.iterators or not loops.is_plain():
        return None
    if ops[0].operands[0] != op.regions[0].blocks[0].arguments[0]:
        return None
    source, (along, result) = view(op.operands[0]), maps
    if source is None or sorted(result) != list(range(len(loops.iterators))):
        return None
    return source.along(along, result, loops.extents())


def _view(memory: Any) -> View | None:
    """Return where a kernel's memory lies in what it was given."""
    ir, owner, name = bindings(memory).ir, memory.owner, _name(memory)
    kind = ir.MemRefType(memory.type)
    if not kind.has_static_shape or not is_plain(memory):
        return None
    if name == "memref.assume_alignment":
        return _view(owner.operands[0])
    if name == _TO_BUFFER:
        return _repeated(owner.operands[0])
    if name == "memref.subview":
        base, box = _view(owner.operands[0]), _static_box(owner)
        return None if base is None or box is None else base.box(box).without_ones(kind.shape)
    strides, _ = kind.get_strides_and_offset()
    if name != _BINDING or ir.ShapedType.get_dynamic_stride_or_offset() in strides:
        return None
    return View(memory, 0, tuple(kind.shape), tuple(strides))


def _static_box(op: Any) -> Box | None:
    """Return the box that a slice takes, None where it is not known."""
    box = Box(*(tuple(op.attributes[f"static_{kind}"]) for kind in ("offsets", "sizes", "strides")))
    return box if list(op.attributes["operandSegmentSizes"])[-3:] == [0, 0, 0] else None


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(bindings(tensor).ir.ShapedType(tensor.type).shape)


def _name(value: Any) -> str:
    """Name what a value comes from; empty for a block, whose argument it is."""
    return getattr(value.owner, "name", "")
