"""Add up products in registers: a panel of the right side, packed, times blocks of rows of the left.

A workgroup takes some rows and as many columns as one or two vectors have elements. It packs these columns of
the right side, turning them where they lie along the depth, and adds up a block of rows at a time in
registers, which a number of the left side is broadcast to (Goto and van de Geijn, "Anatomy of
High-Performance Matrix Multiplication", 2008). Packing is a few per cent of the work, so weights need not be
kept packed. Numbers of the left side are read from wherever they lie: a convolution's windows are never
copied. What follows the sums element by element is computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

from myjit.mlir.loops import Loops
from myjit.mlir.panel_groups import Group, Lane, PanelGroups, Steps
from myjit.mlir.panels import Panels
from myjit.mlir.sums_of_products import Sums
from myjit.mlir.tile_values import Place, TileValues, lies_on
from myjit.mlir.vector_code import Index, VectorCode

#: Steps of the depth's innermost loops that are written one after the other.
_UNROLLED = 9


@dataclass(frozen=True)
class Output:
    """A tensor that a kernel computes, the memory that it goes to, and the loops it lies along."""

    tensor: Any
    memory: Any
    along: tuple[int, ...]


class Part(NamedTuple):
    """Elements of a vector from one up to another, and where the first of them lies."""

    first: int
    end: Index
    place: Index


class PanelKernel(PanelGroups):
    """Writes the code of sums at the current insertion point.

    What follows them is computed by vectors along the columns, or along the rows.
    """

    def __init__(
        self, code: VectorCode, sums: Sums, memories: Sequence[Any], cut: Panels, values: TileValues
    ) -> None:
        super().__init__(code, sums, cut)
        self.values = values
        self.memories = memories
        ir = code.ir
        self.halves = sums.element == "bf16"
        #: Steps of the depth in a number of 32 bits, as pairs of halves are.
        self.pair = 2 if self.halves else 1
        self.sum_type = ir.F32Type.get()
        self.word = ir.IntegerType.get_signless(32) if self.halves else self.sum_type

    def write(self, outputs: Sequence[Output]) -> None:
        """Write the kernel."""
        code, cut, of = self.code, self.cut, self.of
        group = self._group()
        width, depth = cut.width, of.count(of.depth)
        by_rows = outputs[0].along[-1] != of.column
        is_whole = cut.steps * cut.inner >= depth
        #: Whether the lines of a vector are computed and written as one.
        self.joins = cut.lines > 1 and not by_rows and self._go_on(outputs)
        #: What is computed from each block of rows at once, while others are added up; else nothing.
        self.at_once = outputs if is_whole and not by_rows else ()
        #: Rows of a strip's sums, and of its part of the panel.
        self.rows = cut.height if self.at_once else cut.chunk * cut.height + width * by_rows
        self.slots = -(-cut.steps * cut.inner // (width * self.pair)) * width
        sums = self.rows * (1 if self.at_once else cut.strips) + (cut.lines > 1)
        self.sums = code.scratch(sums, cut.columns, self.sum_type)
        self.panel = code.scratch(self.slots * cut.strips, cut.columns, self.word)
        if is_whole:
            self._part(group, Steps({}, 0, depth // cut.inner), adds=False)
        else:
            self._strips(group, self._clear)
            self._parts(group, {})
        if by_rows:
            self.square = code.scratch(width, width, self.sum_type)
            self._strips(group, lambda strip: self._write_by_rows(strip, outputs))
        elif not self.at_once:
            self._strips(group, lambda strip: self._write_by_columns(strip, group.start, group.rows, outputs))

    def _clear(self, group: Group) -> None:
        code, cut = self.code, self.cut
        first = self._sums_row(group, group.start)

        def clear(row: Any) -> tuple[()]:
            for v in range(cut.vectors):
                code.put(self._zeros(), self.sums, code.add(first, row), v * cut.width)
            return ()

        code.loop(0, group.rows, 1, [], clear)

    def _zeros(self) -> Any:
        return self.code.zeros(self.sum_type, self.cut.width)

    def _parts(self, group: Group, outer: dict[int, Index]) -> tuple[()]:
        """Add up all parts of the depth inside of what its outer loops stand at."""
        code, cut, loop = self.code, self.cut, self.of.depth[len(outer)]
        extent = self.of.extents[loop]
        if len(outer) < cut.level:
            code.loop(0, extent, 1, [], lambda i: self._parts(group, {**outer, loop: i}))
        else:

            def part(at: Any) -> tuple[()]:
                count = code.least(cut.steps, code.subtract(extent, at)) if extent % cut.steps else cut.steps
                return self._part(group, Steps(outer, at, count), adds=True)

            code.loop(0, extent, cut.steps, [], part)
        return ()

    def _part(self, group: Group, steps: Steps, *, adds: bool) -> tuple[()]:
        """Pack some steps of the depth and multiply them, for all blocks of rows."""
        code = self.code
        self._strips(group, lambda strip: self._pack(strip, steps))
        low, high = group.blocks
        kinds = [(low, code.least(high, self.higher), self.cut.height)]
        if self.higher < self.cut.blocks:
            kinds.append((code.greatest(low, self.higher), high, self.cut.height - 1))
        for first, end, height in kinds:

            def multiply(block: Any, height: int = height) -> tuple[()]:
                def strip(group: Group) -> None:
                    self._multiply(group, block, height, steps, adds=adds)
                    if self.at_once:
                        self._write_by_columns(group, self._row_of(block), height, self.at_once)

                self._strips(group, strip)
                return ()

            self._prepare(height)
            code.loop(first, end, 1, [], multiply)
        return ()

    def _pack(self, group: Group, steps: Steps) -> None:
        """Pack some steps of the depth of the right side's columns."""
        code, of = self.code, self.of
        begin = self._linear(self._started(steps), of.strides[of.right])
        pack = self._turn if of.is_turned else self._copy
        stride = self.pair * (self.cut.width if of.is_turned else 1)
        done = self._flat(steps)

        def packed(k: Any) -> tuple[()]:
            place = code.add(begin, code.multiply(k, of.strides[of.right][of.depth[-1]]))
            ahead = code.subtract(of.count(of.depth), code.add(done, k))
            return pack(group, place, ahead, code.add(self._slot(group), code.divide(k, self.pair)[0]))

        code.loop(0, code.multiply(steps.count, self.cut.inner), stride, [], packed)

    def _prepare(self, height: int) -> None:
        """Do what blocks of so many rows need done once before them."""

    def _copy(self, group: Group, place: Index, _: Index, slot: Index) -> tuple[()]:
        """Pack one step of the depth, or two of halves, of which columns lie one after the other."""
        code, of = self.code, self.of
        right = of.strides[of.right]
        here = [code.add(place, begin) for begin in self._begins(group)]
        steps = [[code.add(each, i * right[of.depth[-1]]) for each in here] for i in range(self.pair)]
        rows = [self._columns(group.lanes, places, 1) for places in steps]
        for v, each in enumerate(zip(*rows, strict=True)):
            packed = self._words(code.interleaved(each)) if self.halves else each[0]
            code.put(packed, self.panel, slot, v * self.cut.width)
        return ()

    def _columns(self, lanes: Sequence[Lane], places: Sequence[Index], apart: int) -> list[Any]:
        """Load vectors of the right side's columns, `apart` from each other, with what lies between them.

        `places` are where lanes begin.
        """
        code, width = self.code, apart * self.cut.width
        parts: list[list[Part]] = [[] for _ in range(self.cut.vectors)]
        for lane, place in zip(lanes, places, strict=True):
            first = lane.place * apart
            # nothing of what lies behind the last one
            count = code.beyond(code.multiply(lane.valid, apart), apart - 1)
            parts[lane.vector].append(Part(first, code.add(first, count), place))
        return [self._side_by_side(each, width) for each in parts]

    def _side_by_side(self, parts: Sequence[Part], width: int) -> Any:
        """Load a vector of the right side's elements, parts of it from places of their own.

        A part is loaded as from so many elements before it that it stands where it belongs.
        """
        code = self.code
        made: Any = None
        for part in parts:
            fills = part.first == 0 and part.end == width
            mask: Any = None if fills else code.mask(part.end, width)
            if part.first > 0:
                mask = code.op("arith.xori", [mask.type], [mask, code.mask(part.first, width)])
            loaded = self._load(self.of.right, code.subtract(part.place, part.first), mask, width)
            made = loaded if made is None else code.op("arith.select", [loaded.type], [mask, loaded, made])
        return made

    def _turn(self, group: Group, place: Index, ahead: Index, slot: Index) -> tuple[()]:
        """Pack as many steps of the depth as a vector has, `ahead` at most, of columns that lie along it."""
        code, of, width = self.code, self.of, self.cut.width
        count, last = width * self.pair, of.columns - 1
        # Whole vectors everywhere: in each part, and in what is left of the loop cut up for the last one.
        parts, inner = (self.cut.steps, of.extents[of.depth[self.cut.level]]), self.cut.inner
        mask = None if all(each * inner % count == 0 for each in parts) else code.mask(ahead, count)
        for lane in group.lanes:
            rows = []
            for j in range(width):
                column = code.add(lane.first[of.column], j)
                if lane.mask is not None:  # what lies behind the last column is never written
                    column = code.least(column, last)
                here = self._linear({**group.batch, **lane.first, of.column: column}, of.strides[of.right])
                row = self._load(of.right, code.add(place, here), mask, count)
                rows.append(self._words(row) if self.halves else row)
            for i, column in enumerate(code.transposed(rows)):
                code.put(column, self.panel, code.add(slot, i), lane.vector * width)
        return ()

    def _multiply(self, group: Group, block: Any, height: int, steps: Steps, *, adds: bool) -> None:
        """Add up a block of rows in registers."""
        code, cut = self.code, self.cut
        row = self._row_of(block)
        rows = [self._row_place(group, code.add(row, i), steps) for i in range(height)]

        def step(place: Index, slot: Index, sums: Sequence[Any]) -> list[Any]:
            columns = [code.take(self.panel, slot, v * cut.width) for v in range(cut.vectors)]
            numbers = [self._number(code.add(each, place)) for each in rows]
            pairs = [(number, column) for number in numbers for column in columns]
            return [self._multiply_add(*pair, total) for pair, total in zip(pairs, sums, strict=True)]

        sums = self._through(group, steps, step, [self._zeros()] * (height * cut.vectors))
        first = self._sums_row(group, row)
        for i, total in enumerate(sums):
            at = code.add(first, i // cut.vectors), i % cut.vectors * cut.width
            before = [code.take(self.sums, *at)] if adds else []
            code.put(reduce(code.sum, before, total), self.sums, *at)

    def _sums_row(self, group: Group, row: Index) -> Index:
        """Return which row of the sums in memory a block's first row is."""
        code = self.code
        if self.at_once:
            return 0
        return code.add(code.multiply(group.strip, self.rows), code.subtract(row, group.start))

    def _column(self, lane: Lane) -> int:
        """Return which column of the sums a lane's first one is."""
        return lane.vector * self.cut.width + lane.place

    def _slot(self, group: Group) -> Index:
        """Return which row of the panel a strip's first one is."""
        return self.code.multiply(group.strip, self.slots)

    def _through(
        self, group: Group, steps: Steps, step: Callable[..., Sequence[Any]], sums: Sequence[Any]
    ) -> Sequence[Any]:
        """Go through steps of the depth, as many at a time as are multiplied at once.

        `step` takes how far behind the first one they lie on the left side, their row of the panel, and the
        sums so far, and returns the next ones.
        """
        code, cut, of = self.code, self.cut, self.of

        def through(level: int, place: Index, slot: Index, sums: Sequence[Any]) -> Sequence[Any]:
            if level == len(of.depth):
                return step(place, slot, sums)
            loop, inner = of.depth[level], of.count(of.depth[level + 1 :])
            together = self.pair if level == len(of.depth) - 1 else 1
            extent = steps.count if level == cut.level else of.extents[loop]

            def body(i: Any, *sums: Any) -> Sequence[Any]:
                further = code.multiply(i, together * of.strides[of.left][loop])
                row = code.multiply(i, together * inner // self.pair)
                return through(level + 1, code.add(place, further), code.add(slot, row), sums)

            extent = code.divide(extent, together)[0]
            if level > cut.level and of.extents[loop] * inner <= _UNROLLED:
                for i in range(extent):
                    sums = body(i, *sums)
                return sums
            return code.loop(0, extent, 1, sums, body)

        return through(cut.level, 0, self._slot(group), sums)

    def _number(self, place: Index) -> Any:
        """Return a number of the left side, or two of halves, in all places of a vector."""
        code, left = self.code, self.of.left
        if not self.halves:
            return code.splat(code.element(self.memories[left], self._at(left, place)))
        return code.splat(code.first_word(self._load(left, place, None, 2)))

    def _multiply_add(self, number: Any, column: Any, total: Any) -> Any:
        code = self.code
        if self.halves:
            return code.multiply_pairs(number, column, total)
        return code.op("vector.fma", [total.type], [number, column, total])

    def _write_by_columns(self, group: Group, first: Any, count: Index, outputs: Sequence[Output]) -> None:
        """Compute what follows the sums of `count` rows, by vectors along the columns, and write it."""
        code, sums = self.code, self._sums_row(group, first)
        lanes = self._joined(group.lanes) if self.joins else group.lanes

        def write(i: Any) -> tuple[()]:
            row = self._split(code.add(first, i), self.of.rows)
            for lane in lanes:
                total = code.take(self.sums, code.add(sums, i), self._column(lane))
                self._finish(Place({**group.batch, **row, **lane.first}, lane.mask, total), outputs)
            return ()

        code.loop(0, count, 1, [], write)

    def _go_on(self, outputs: Sequence[Output]) -> bool:
        """Tell whether outputs, and all that follows the sums, lie along lines as along one."""
        of, values = self.of, self.values
        loops = (*of.lines, of.column)
        computed = [(of.operation.operands[2], of.result)] + [(each.tensor, each.along) for each in outputs]
        return all(values.goes_on(*each, loops, of.extents) for each in computed) and all(
            lies_on(each.memory, each.along, loops, of.extents) for each in outputs
        )

    def _joined(self, lanes: Sequence[Lane]) -> list[Lane]:
        """Return the lanes of each vector as one."""
        code, joined = self.code, []
        for first in lanes[:: self.cut.lines]:
            parts = [lane.valid for lane in lanes if lane.vector == first.vector]
            valid = reduce(code.add, parts)
            mask = None if valid == self.cut.width else code.mask(valid, self.cut.width)
            joined.append(replace(first, valid=valid, mask=mask))
        return joined

    def _write_by_rows(self, group: Group, outputs: Sequence[Output]) -> None:
        """Compute what follows by vectors along the innermost loop of the rows, and write it."""
        code, width = self.code, self.cut.width
        extent = self.of.extents[self.of.rows[-1]]
        end = code.add(group.start, group.rows)

        def line(number: Any) -> tuple[()]:
            """Go along that loop once, as far as the group's rows do."""
            begin = code.multiply(number, extent)
            low, high = code.greatest(begin, group.start), code.least(code.add(begin, extent), end)
            whole = code.subtract(high, code.divide(code.subtract(high, low), width)[1])
            code.loop(low, whole, width, [], lambda row: self._write_rows(group, row, None, outputs))
            mask = code.mask(code.subtract(high, whole), width)
            code.loop(whole, high, width, [], lambda row: self._write_rows(group, row, mask, outputs))
            return ()

        last = code.divide(code.add(end, extent - 1), extent)[0]
        code.loop(code.divide(group.start, extent)[0], last, 1, [], line)

    def _write_rows(self, group: Group, row: Any, mask: Any, outputs: Sequence[Output]) -> tuple[()]:
        """Compute what follows from as many rows of sums as a vector has, and write it."""
        code, width = self.code, self.cut.width
        rows, i = self._split(row, self.of.rows), self._sums_row(group, row)
        for lane in group.lanes:
            square = [code.take(self.sums, code.add(i, j), self._column(lane)) for j in range(width)]
            for j, column in enumerate(code.transposed(square)):
                code.put(column, self.square, j, 0)

            def write(j: Any, first: dict[int, Index] = lane.first) -> tuple[()]:
                column = code.add(first[self.of.column], j)
                place = {**group.batch, **rows, **first, self.of.column: column}
                return self._finish(Place(place, mask, code.take(self.square, j, 0)), outputs)

            code.loop(0, lane.valid, 1, [], write)
        return ()

    def _finish(self, at: Place, outputs: Sequence[Output]) -> tuple[()]:
        """Compute what follows from a vector of sums, and write it."""
        code = self.code
        if not Loops(self.of.operation).starts_from_zero():
            start = self.values.build(code, self.of.operation.operands[2], self.of.result, at)
            at = Place(at.indices, at.mask, code.sum(at.total, start))
        for output in outputs:
            made = self.values.build(code, output.tensor, output.along, at)
            code.store(made, output.memory, [at.indices[loop] for loop in output.along], at.mask)
        return ()

    def _at(self, side: int, place: Index) -> list[Index]:
        """Return the indices of an element: the last one counts the elements from the first."""
        return [0] * (len(self.code.ir.MemRefType(self.memories[side].type).shape) - 1) + [place]

    def _load(self, side: int, place: Index, mask: Any, count: int = 0) -> Any:
        return self.code.load(self.memories[side], self._at(side, place), mask, count or self.cut.width)

    def _words(self, halves: Any) -> Any:
        """Return pairs of halves as numbers of 32 bits."""
        return self.code.op("vector.bitcast", [self.code.vector(self.word)], [halves])
