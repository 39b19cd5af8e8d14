"""Copy boxes of elements by vectors, cut into blocks that workgroups share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.copies import Copy
from myjit.mlir.tensors import constant
from myjit.mlir.vector_code import Index, VectorCode

#: Bytes that a block holds, about.
_BLOCK_BYTES = 2**14
#: Vectors that are written one after the other, without a loop.
_UNROLLED = 8
#: Workgroups at most: each asks, of every copy, which part of it is its own.
_MOST_GROUPS = 64


@dataclass(frozen=True)
class _Cut:
    """A copy's loops, the last two cut into blocks, all of one size: the last ones overlap others."""

    copy: Copy
    loops: list[tuple[int, int, int]]
    rows: int
    columns: int

    @property
    def counts(self) -> list[int]:
        """How many blocks there are along each loop."""
        *outer, (height, *_), (width, *_) = self.loops
        return [*(loop[0] for loop in outer), -(-height // self.rows), -(-width // self.columns)]


def write_copies(code: VectorCode, copies: Sequence[Copy]) -> int:
    """Write a workgroup's part of copies at the current insertion point; return how many groups there are."""
    cuts = [_cut(copy) for copy in copies]
    blocks = sum(math.prod(cut.counts) for cut in cuts)
    count = min(_MOST_GROUPS, blocks)
    zero = code.ir.IntegerAttr.get(code.ir.IndexType.get(), 0)
    group = code.op("hal.interface.workgroup.id", [code.ir.IndexType.get()], dimension=zero)
    low, _ = code.divide(code.multiply(group, blocks), count)
    high, _ = code.divide(code.multiply(code.add(group, 1), blocks), count)
    memories = {id(view.memory): view.memory for copy in copies for view in (copy.target, copy.source)}
    rows = {key: _as_row(code, memory) for key, memory in memories.items() if memory is not None}
    first = 0
    for cut in cuts:
        own = math.prod(cut.counts)
        begin, end = (code.least(code.beyond(each, first), own) for each in (low, high))
        code.loop(begin, end, 1, [], _Block(code, cut, rows).write)
        first += own
    return count


def _cut(copy: Copy) -> _Cut:
    loops = copy.loops()
    loops = [(1, 0, 0)] * (2 - len(loops)) + loops
    (height, *_), (width, *_) = loops[-2:]
    most = _BLOCK_BYTES // _element_bytes(copy)
    columns = _even(width, most)
    return _Cut(copy, loops, _even(height, max(1, most // width)), columns)


def _even(extent: int, most: int) -> int:
    """Return the size of the fewest parts of `extent` steps, of at most `most`."""
    return -(-extent // -(-extent // most))


def _element_bytes(copy: Copy) -> int:
    memory = copy.target.memory
    return bindings(memory).ir.MemRefType(memory.type).element_type.width // 8


def _as_row(code: VectorCode, memory: Any) -> Any:
    """Return all elements of what a kernel is given in one dimension."""
    ir, given = code.ir, memory.owner
    kind = ir.MemRefType(memory.type)
    _, offset = kind.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(offset, [1]) if offset else None
    row = ir.MemRefType.get([math.prod(kind.shape)], kind.element_type, layout, kind.memory_space)
    attributes = {name: given.attributes[name] for name in given.attributes}
    return code.op(given.name, [row], list(given.operands), **attributes)


class _Block:
    """Writes the code that copies a block."""

    def __init__(self, code: VectorCode, cut: _Cut, rows: dict[int, Any]) -> None:
        self.code = code
        self.cut = cut
        self.target: Any = rows[id(cut.copy.target.memory)]
        self.source: Any = rows.get(id(cut.copy.source.memory))
        self.number = cut.copy.source.number

    def write(self, block: Index) -> tuple[()]:
        code, cut = self.code, self.cut
        *outer, (height, *row_strides), (width, *_) = cut.loops
        *_, rows, columns = cut.counts
        block, column = code.divide(block, columns)
        block, row = code.divide(block, rows)
        at = [cut.copy.target.offset, cut.copy.source.offset]
        for extent, *strides in reversed(outer):
            block, step = code.divide(block, extent)
            at = self._moved(at, step, strides)
        row = code.least(code.multiply(row, cut.rows), height - cut.rows)
        column = code.least(code.multiply(column, cut.columns), width - cut.columns)
        at = self._moved(at, row, row_strides)
        at = self._moved(at, column, cut.loops[-1][1:])
        code.loop(0, cut.rows, 1, [], lambda step: self._row(self._moved(at, step, row_strides)))
        return ()

    def _moved(self, at: Sequence[Index], steps: Index, strides: Sequence[int]) -> list[Index]:
        code = self.code
        further = (code.multiply(steps, stride) for stride in strides)
        return [code.add(*each) for each in zip(at, further, strict=True)]

    def _row(self, at: Sequence[Index]) -> tuple[()]:
        """Copy a row of a block; what vectors leave over by one that overlaps the one before."""
        code, count = self.code, self.cut.columns
        _, *strides = self.cut.loops[-1]
        lanes = 1
        if strides in ([1, 1], [1, 0]):
            width = 4 * code.width // _element_bytes(self.cut.copy)
            lanes = min(width, 2 ** (count.bit_length() - 1))
        whole = count // lanes
        looped = whole - whole % _UNROLLED if whole > _UNROLLED else 0
        if looped:
            code.loop(0, looped * lanes, _UNROLLED * lanes, [], lambda step: self._vectors(at, step, lanes))
        for number in range(looped, whole):
            self._vector(self._moved(at, number * lanes, strides), lanes)
        if count % lanes:
            self._vector(self._moved(at, count - lanes, strides), lanes)
        return ()

    def _vectors(self, at: Sequence[Index], step: Index, lanes: int) -> tuple[()]:
        code = self.code
        _, *strides = self.cut.loops[-1]
        values = []
        for number in range(_UNROLLED):
            place = self._moved(at, code.add(step, number * lanes), strides)
            values.append((self._load(place, lanes), place))
        for value, place in values:
            code.store(value, self.target, place[:1])
        return ()

    def _vector(self, at: Sequence[Index], lanes: int) -> None:
        self.code.store(self._load(at, lanes), self.target, at[:1])

    def _load(self, at: Sequence[Index], lanes: int) -> Any:
        code, ir = self.code, self.code.ir
        kind = ir.VectorType.get([lanes], ir.MemRefType(self.target.type).element_type)
        if self.source is None:
            return constant(ir, kind, ir.DenseElementsAttr.get_splat(kind, self.number))
        if self.cut.loops[-1][2] == 0 and lanes > 1:
            return code.op("vector.broadcast", [kind], [code.element(self.source, at[1:])])
        return code.load(self.source, at[1:], count=lanes)
