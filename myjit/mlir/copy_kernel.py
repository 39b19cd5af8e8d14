"""Copy boxes of elements by vectors, as they are or computed, cut into blocks that workgroups share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.copies import Copy, lies_apart
from myjit.mlir.tensors import constant
from myjit.mlir.vector_code import Index, VectorCode
from myjit.mlir.views import Elements, InTurn, View

#: Bytes that a block holds, about.
_BLOCK_BYTES = 2**14
#: Elements of a byte that a line of the cache holds.
_LINE = 64
#: Vectors that are written one after the other, without a loop.
_UNROLLED = 8
#: Rows at most of a block that is turned.
_TURNED_ROWS = 64
#: Workgroups at most: each asks, of every copy, which part of it is its own.
_MOST_GROUPS = 64


@dataclass(frozen=True)
class _Cut:
    """A copy's loops, the last two cut into blocks, all of one size: the last ones overlap others.

    Where rows of the source are columns of the target, squares of `side` elements are turned in registers.
    """

    copy: Copy
    loops: list[tuple[int, ...]]
    rows: int
    columns: int
    side: int = 0

    @property
    def counts(self) -> list[int]:
        """How many blocks there are along each loop."""
        *outer, (height, *_), (width, *_) = self.loops
        return [*(loop[0] for loop in outer), -(-height // self.rows), -(-width // self.columns)]


def write_copies(code: VectorCode, copies: Sequence[Copy]) -> int:
    """Write a workgroup's part of copies at the current insertion point; return how many groups there are."""
    cuts = [_cut(copy, code.width) for copy in copies]
    blocks = sum(math.prod(cut.counts) for cut in cuts)
    count = min(_MOST_GROUPS, blocks)
    zero = code.ir.IntegerAttr.get(code.ir.IndexType.get(), 0)
    group = code.op("hal.interface.workgroup.id", [code.ir.IndexType.get()], dimension=zero)
    low, _ = code.divide(code.multiply(group, blocks), count)
    high, _ = code.divide(code.multiply(code.add(group, 1), blocks), count)
    views = (view for copy in copies for view in (copy.target, *copy.source.leaves()))
    memories = {id(view.memory): view.memory for view in views}
    rows = {key: _as_row(code, memory) for key, memory in memories.items() if memory is not None}
    first = 0
    for cut in cuts:
        own = math.prod(cut.counts)
        begin, end = (code.least(code.beyond(each, first), own) for each in (low, high))
        kind = _TurnedBlock if cut.side else _Block
        code.loop(begin, end, 1, [], kind(code, cut, rows).write)
        first += own
    return count


def _cut(copy: Copy, vector: int) -> _Cut:
    loops = copy.loops()
    loops = [(1, *(0 for _ in loops[0][1:]))] * (2 - len(loops)) + loops
    most, across = _BLOCK_BYTES // _element_bytes(copy), copy.across()
    if across is not None:
        loops = [*loops[:across], *loops[across + 1 : -1], loops[across], loops[-1]]
    (height, *_), (width, *_) = loops[-2:]
    if across is not None:
        rows = _aligned(height, _TURNED_ROWS)
        columns = _aligned(width, most // rows)
        return _Cut(copy, loops, rows, columns, _side(min(rows, columns), vector, _element_bytes(copy)))
    columns = _aligned(width, most)
    return _Cut(copy, loops, _even(height, max(1, most // width)), columns)


def _side(most: int, vector: int, element_bytes: int) -> int:
    """Return how many elements squares have along a side, of at most `most` rows and columns."""
    return min(vector, 4 * vector // element_bytes, 2 ** (most.bit_length() - 1))


def _even(extent: int, most: int) -> int:
    """Return the size of the fewest parts of `extent` steps, of at most `most`."""
    return -(-extent // -(-extent // most))


def _aligned(extent: int, most: int) -> int:
    """Return such a size of which multiples begin where lines of the cache do, if the first one does."""
    return min(extent, -(-_even(extent, most) // _LINE) * _LINE)


def _element_bytes(copy: Copy) -> int:
    """Return the size of the largest elements."""
    return max(_width_of(view) for view in (copy.target, *copy.source.leaves())) // 8


def _width_of(view: View) -> int:
    if view.memory is None:
        return 8
    return bindings(view.memory).ir.MemRefType(view.memory.type).element_type.width


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
        self.leaves = cut.copy.source.leaves()
        self.is_in_turn = isinstance(cut.copy.source, InTurn)
        self.unrolled = _UNROLLED // 2 if self.is_in_turn else _UNROLLED
        self.sources = [rows.get(id(leaf.memory)) for leaf in self.leaves]

    def write(self, block: Index) -> tuple[()]:
        code, cut = self.code, self.cut
        *outer, (height, *row_strides), (width, *_) = cut.loops
        *_, rows, columns = cut.counts
        block, column = code.divide(block, columns)
        block, row = code.divide(block, rows)
        at = [cut.copy.target.offset, *(leaf.offset for leaf in self.leaves)]
        for extent, *strides in reversed(outer):
            block, step = code.divide(block, extent)
            at = self._moved(at, step, strides)
        row = code.least(code.multiply(row, cut.rows), height - cut.rows)
        column = code.least(code.multiply(column, cut.columns), width - cut.columns)
        at = self._moved(at, row, row_strides)
        at = self._moved(at, column, cut.loops[-1][1:])
        self._block(at)
        return ()

    def _block(self, at: Sequence[Index]) -> None:
        _, *strides = self.cut.loops[-2]
        self.code.loop(0, self.cut.rows, 1, [], lambda step: self._row(self._moved(at, step, strides)))

    def _moved(self, at: Sequence[Index], steps: Index, strides: Sequence[int]) -> list[Index]:
        code = self.code
        further = (code.multiply(steps, stride) for stride in strides)
        return [code.add(*each) for each in zip(at, further, strict=True)]

    def _row(self, at: Sequence[Index]) -> tuple[()]:
        """Copy a row of a block; what vectors leave over by one that overlaps the one before."""
        code, count = self.code, self.cut.columns
        _, to, *from_ = self.cut.loops[-1]
        lanes = 1
        if to in (1, 2) and not any(map(lies_apart, from_)):
            width = 4 * code.width // _element_bytes(self.cut.copy)
            lanes = min(width, 2 ** (count.bit_length() - 1))
        strides = self.cut.loops[-1][1:]
        whole = count // lanes
        looped = whole - whole % self.unrolled if whole > self.unrolled else 0
        if looped:
            code.loop(
                0, looped * lanes, self.unrolled * lanes, [], lambda step: self._vectors(at, step, lanes)
            )
        for number in range(looped, whole):
            self._vector(self._moved(at, number * lanes, strides), lanes)
        if count % lanes:
            self._vector(self._moved(at, count - lanes, strides), lanes)
        return ()

    def _vectors(self, at: Sequence[Index], step: Index, lanes: int) -> tuple[()]:
        code = self.code
        _, *strides = self.cut.loops[-1]
        values = []
        for number in range(self.unrolled):
            place = self._moved(at, code.add(step, number * lanes), strides)
            values.append((self._load(place, lanes), place))
        for value, place in values:
            self._store(value, place, lanes)
        return ()

    def _vector(self, at: Sequence[Index], lanes: int) -> None:
        self._store(self._load(at, lanes), at, lanes)

    def _store(self, value: Any, at: Sequence[Index], lanes: int) -> None:
        to = self.cut.loops[-1][1]
        if lanes == 1 or to == 1 or self.is_in_turn:
            self.code.store(value, self.target, at[:1])
        else:
            self.code.store_every_other(value, self.target, at[0])

    def _load(self, at: Sequence[Index], lanes: int) -> Any:
        """Load elements, or compute them."""
        strides = self.cut.loops[-1][2:]
        loaded = [
            self._leaf(leaf, source, place, lanes, stride)
            for leaf, source, place, stride in zip(self.leaves, self.sources, at[1:], strides, strict=True)
        ]
        return self.made(self.cut.copy.source, loaded)

    def made(self, elements: Elements | InTurn, loaded: list[Any]) -> Any:
        """Return elements by what their leaves hold, which are taken off the list."""
        if isinstance(elements, View):
            return loaded.pop(0)
        values = [self.made(each, loaded) for each in elements.inputs]
        if isinstance(elements, InTurn):
            return self.code.in_turn(*values)
        return self.code.computed(elements.operation, values)

    def _leaf(self, leaf: View, source: Any, at: Index, lanes: int, stride: int) -> Any:
        code, ir = self.code, self.code.ir
        if source is None:
            kind = ir.VectorType.get([lanes], leaf.number.type)
            return constant(ir, kind, ir.DenseElementsAttr.get_splat(kind, leaf.number))
        if stride == 0 and lanes > 1:
            kind = ir.VectorType.get([lanes], ir.MemRefType(source.type).element_type)
            return code.op("vector.broadcast", [kind], [code.element(source, [at])])
        if stride == -1 and lanes > 1:
            return code.reversed(code.load(source, [code.add(at, 1 - lanes)], count=lanes))
        if stride == 2 and lanes > 1:
            return code.load_every_other(source, at, lanes)
        return code.load(source, [at], count=lanes)


class _TurnedBlock(_Block):
    """Writes the code that turns a block by squares; those at its end overlap the ones before."""

    def _block(self, at: Sequence[Index]) -> None:
        code, cut = self.code, self.cut
        (_, *row_strides), (_, *strides) = cut.loops[-2:]

        def square(row: Index, column: Index) -> tuple[()]:
            place = self._moved(at, code.least(row, cut.rows - cut.side), row_strides)
            self._square(self._moved(place, code.least(column, cut.columns - cut.side), strides))
            return ()

        def squares(row: Index) -> tuple[()]:
            code.loop(0, cut.columns, cut.side, [], lambda column: square(row, column))
            return ()

        code.loop(0, cut.rows, cut.side, [], squares)

    def _square(self, at: Sequence[Index]) -> None:
        code, cut = self.code, self.cut
        (_, to, *down), (_, _, *along) = cut.loops[-2:]
        leaves = zip(self.leaves, self.sources, at[1:], down, along, strict=True)
        for number, row in enumerate(zip(*(self._rows(*leaf) for leaf in leaves), strict=True)):
            value = self.made(cut.copy.source, list(row))
            code.store(value, self.target, [code.add(at[0], number * to)])

    def _rows(self, leaf: View, source: Any, at: Index, down: int, along: int) -> Sequence[Any]:
        """Load the rows of a square; of what lies across, its columns, which are turned."""
        code, side = self.code, self.cut.side
        if lies_apart(along):
            return code.transposed(
                [code.load(source, [code.add(at, number * along)], count=side) for number in range(side)]
            )
        return [self._leaf(leaf, source, code.add(at, number * down), side, along) for number in range(side)]
