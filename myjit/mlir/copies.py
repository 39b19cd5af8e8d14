"""What dispatches that compute nothing copy: boxes of elements, from where they lie to where they go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.boxes import Box, around
from myjit.mlir.constants import constant_of
from myjit.mlir.context import bindings
from myjit.mlir.loops import Loops
from myjit.mlir.tile_memories import LOAD, is_plain

_BINDING = "hal.interface.binding.subspan"
_STORE = "iree_codegen.store_to_buffer"
_INSERT, _EXTRACT = "tensor.insert_slice", "tensor.extract_slice"


@dataclass(frozen=True)
class View:
    """Elements of a memory, `offset` and `strides` in elements; without one, `number` in all places."""

    memory: Any
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    number: Any = None

    def box(self, box: Box) -> View:
        """Return some of the elements."""
        offset = self.offset + sum(a * b for a, b in zip(box.offsets, self.strides, strict=True))
        strides = tuple(a * b for a, b in zip(box.steps, self.strides, strict=True))
        return View(self.memory, offset, box.sizes, strides, self.number)

    def without_ones(self, shape: Sequence[int]) -> View:
        """Return the elements seen with fewer dimensions: some of those of one element are left out."""
        kept, wanted = [], list(shape)
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if wanted and extent == wanted[0]:
                kept.append(stride)
                wanted.pop(0)
        return View(self.memory, self.offset, tuple(shape), tuple(kept), self.number)


@dataclass(frozen=True)
class Copy:
    """Elements that go from a source to a target, by loops: extent, stride of the target, of the source."""

    target: View
    source: View

    def loops(self) -> list[tuple[int, int, int]]:
        """Return the loops, outermost first, with those made one that run on where another ends."""
        made: list[tuple[int, int, int]] = []
        for extent, to, from_ in zip(
            self.target.shape, self.target.strides, self.source.strides, strict=True
        ):
            if extent != 1:
                runs_on = bool(made) and made[-1][1:] == (extent * to, extent * from_)
                outer = made.pop()[0] if runs_on else 1
                made.append((outer * extent, to, from_))
        return made or [(1, 1, 1)]


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
    return [copy for copy in found if math.prod(copy.target.shape)]


#: What a kernel may hold beside stores: what they are made of, and where memories lie.
_IDLE = (
    *("arith.constant", "memref.subview", "memref.assume_alignment", _BINDING, LOAD, "func.return"),
    *("tensor.empty", _INSERT, _EXTRACT),
)


def _stored(tensor: Any, target: View | None) -> list[Copy] | None:
    """Return the copies that put a tensor where it is stored: of parts of it, and of what is around them."""
    if target is None:
        return None
    parts: list[tuple[Box, View]] = []
    while _name(tensor) == _INSERT:
        box, part = _static_box(tensor.owner), _source(tensor.owner.operands[0])
        if box is None or part is None:
            return None
        parts.append((box, part))
        tensor = tensor.owner.operands[1]
    rest = around(target.shape, [box for box, _ in parts])
    if rest is None:
        return None
    found = [Copy(target.box(box).without_ones(part.shape), part) for box, part in parts]
    if _name(tensor) == "tensor.empty":
        return found
    source = _source(tensor)
    if source is None or source.shape != target.shape:
        return None
    return found + [Copy(target.box(each), source.box(each)) for each in rest]


def _moved(op: Any) -> list[Copy] | None:
    """Return what loops over memory copy."""
    source, target = _rearranged(op, _view), _view(op.operands[len(op.operands) - 1])
    if source is None or target is None or source.shape != target.shape:
        return None
    return [Copy(target, source)]


def _source(tensor: Any) -> View | None:
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
        return _rearranged(owner.operation, _source)
    if name == "linalg.fill" and constant_of(owner.operands[0]) is not None and is_plain(tensor):
        shape = _shape(tensor)
        return View(None, 0, shape, (0,) * len(shape), owner.operands[0].owner.attributes["value"])
    return None


def _rearranged(op: Any, view: Any) -> View | None:
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
    strides: dict[int, int] = {}
    for loop, stride in zip(along, source.strides, strict=True):
        strides[loop] = strides.get(loop, 0) + stride  # a loop along several dimensions reads a diagonal
    extents = loops.extents()
    return View(
        source.memory,
        source.offset,
        tuple(extents[loop] for loop in result),
        tuple(strides.get(loop, 0) for loop in result),
        source.number,
    )


def _view(memory: Any) -> View | None:
    """Return where a kernel's memory lies in what it was given."""
    ir, owner, name = bindings(memory).ir, memory.owner, _name(memory)
    kind = ir.MemRefType(memory.type)
    if not kind.has_static_shape or not is_plain(memory):
        return None
    if name == "memref.assume_alignment":
        return _view(owner.operands[0])
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
