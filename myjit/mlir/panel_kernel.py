"""Multiply matrices in registers: a panel of the right side, packed, times blocks of rows of the left.

A workgroup takes some rows and as many columns as one or two vectors have elements. It packs these columns of
the right side, turning them where they lie along the sum, and adds up a block of rows at a time in registers,
which a number of the left side is broadcast to (Goto and van de Geijn, "Anatomy of High-Performance Matrix
Multiplication", 2008). Packing is a few per cent of the work, so weights need not be kept packed. What
follows the product element by element is computed from the sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from myjit.mlir.panels import Panels
from myjit.mlir.products import Product
from myjit.mlir.tile_values import SINGLE, Place, TileValues
from myjit.mlir.vector_code import Index, VectorCode


@dataclass(frozen=True)
class Output:
    """A tensor that a kernel computes, the memory that it goes to, and the product's loops it lies along."""

    tensor: Any
    memory: Any
    along: tuple[int, ...]


@dataclass(frozen=True)
class _Group:
    """What a workgroup works on: indices of the batch, rows and their blocks, vectors of columns.

    `masks` of the vectors are None where all of their columns exist.
    """

    batch: dict[int, Index]
    blocks: tuple[Index, Index]
    start: Index
    rows: Index
    lanes: list[Index]
    masks: list[Any]


class PanelKernel:
    """Writes the code of one product at the current insertion point; vectors lie along the loop `column`."""

    def __init__(
        self, code: VectorCode, product: Product, column: int, cut: Panels, values: TileValues
    ) -> None:
        self.code = code
        self.product = product
        self.column = column
        self.row = product.row if column == product.column else product.column
        self.cut = cut
        self.values = values
        self.left, self.right = (0, 1) if column == product.column else (1, 0)
        self.memories = [value.owner.operands[0] for value in list(product.operation.operands)[:2]]
        ir = code.ir
        self.halves = product.element == "bf16"
        #: Steps of the sum that are multiplied at once: pairs of halves stand for numbers of 32 bits.
        self.pair = 2 if self.halves else 1
        self.sum_type = ir.F32Type.get()
        self.word = ir.IntegerType.get_signless(32) if self.halves else self.sum_type
        #: How many blocks are `cut.height` rows high; the others have one row less.
        self.higher = product.extents[self.row] - cut.blocks * (cut.height - 1)

    def write(self, outputs: Sequence[Output]) -> None:
        """Write the kernel."""
        code, cut, depth = self.code, self.cut, self.product.depths
        group = self._group()
        self.sums = code.scratch(cut.chunk * cut.height, cut.columns, self.sum_type)
        self.panel = code.scratch(cut.steps // self.pair, cut.columns, self.word)
        if cut.steps >= depth:
            self._part(group, 0, depth, adds=False)
        else:
            code.loop(0, group.rows, 1, [], self._clear)

            def part(at: Any) -> tuple[()]:
                return self._part(group, at, code.least(cut.steps, code.subtract(depth, at)), adds=True)

            code.loop(0, depth, cut.steps, [], part)
        code.loop(0, group.rows, 1, [], lambda i: self._write_row(group, i, outputs))

    def _group(self) -> _Group:
        code, cut = self.code, self.cut
        first = code.ir.IntegerAttr.get(code.ir.IndexType.get(), 0)
        number = code.op("hal.interface.workgroup.id", [code.ir.IndexType.get()], dimension=first)
        rest, panel = code.divide(number, cut.panels)
        rest, chunk = code.divide(rest, cut.chunks)
        batch: dict[int, Index] = {SINGLE: 0}
        for loop in reversed(self.product.batch):
            rest, batch[loop] = code.divide(rest, self.product.extents[loop])
        low = code.multiply(chunk, cut.chunk)
        blocks = low, code.least(code.add(low, cut.chunk), cut.blocks)
        start = self._row_of(blocks[0])
        rows = code.subtract(self._row_of(blocks[1]), start)
        lanes = [code.add(code.multiply(panel, cut.columns), v * cut.width) for v in range(cut.vectors)]
        columns = self.product.extents[self.column]
        masks = [
            code.mask(code.subtract(columns, lane), cut.width) if columns % cut.columns else None
            for lane in lanes
        ]
        return _Group(batch, blocks, start, rows, lanes, masks)

    def _row_of(self, block: Index) -> Index:
        """Return a block's first row."""
        code = self.code
        return code.add(code.multiply(block, self.cut.height - 1), code.least(block, self.higher))

    def _clear(self, row: Any) -> tuple[()]:
        for v in range(self.cut.vectors):
            self.code.put(self._zeros(), self.sums, row, v * self.cut.width)
        return ()

    def _zeros(self) -> Any:
        return self.code.zeros(self.sum_type, self.cut.width)

    def _part(self, group: _Group, at: Index, steps: Index, *, adds: bool) -> tuple[()]:
        """Pack some steps of the sum and multiply them, for all blocks of rows."""
        code = self.code
        turned = self.product.tensors[self.right][-1] == self.product.depth
        pack = self._turn if turned else self._copy
        stride = self.pair * (self.cut.width if turned else 1)
        code.loop(0, steps, stride, [], lambda k: pack(group, code.add(at, k), code.divide(k, self.pair)[0]))
        low, high = group.blocks
        kinds = [(low, code.least(high, self.higher), self.cut.height)]
        if self.higher < self.cut.blocks:
            kinds.append((code.greatest(low, self.higher), high, self.cut.height - 1))
        for begin, end, height in kinds:

            def multiply(block: Any, height: int = height) -> tuple[()]:
                return self._multiply(group, block, height, at, steps, adds=adds)

            code.loop(begin, end, 1, [], multiply)
        return ()

    def _copy(self, group: _Group, depth: Index, slot: Index) -> tuple[()]:
        """Pack one step of the sum, or two of halves, of which columns lie one after the other."""
        code = self.code
        for v, (lane, mask) in enumerate(zip(group.lanes, group.masks, strict=True)):
            rows = [
                self._load(
                    group, self.right, {self.product.depth: code.add(depth, i), self.column: lane}, mask
                )
                for i in range(self.pair)
            ]
            packed = self._words(code.interleaved(rows)) if self.halves else rows[0]
            code.put(packed, self.panel, slot, v * self.cut.width)
        return ()

    def _turn(self, group: _Group, depth: Index, slot: Index) -> tuple[()]:
        """Pack as many steps of the sum as a vector has, of columns that lie along the sum."""
        code, width = self.code, self.cut.width
        count, last = width * self.pair, self.product.extents[self.column] - 1
        whole = self.product.depths % count == 0
        mask = None if whole else code.mask(code.subtract(self.product.depths, depth), count)
        for v, lane in enumerate(group.lanes):
            rows = []
            for j in range(width):
                column = code.add(lane, j)
                if group.masks[v] is not None:  # what lies behind the last column is never written
                    column = code.least(column, last)
                place = {self.product.depth: depth, self.column: column}
                row = self._load(group, self.right, place, mask, count)
                rows.append(self._words(row) if self.halves else row)
            for i, column in enumerate(code.transposed(rows)):
                code.put(column, self.panel, code.add(slot, i), v * width)
        return ()

    def _multiply(
        self, group: _Group, block: Any, height: int, at: Index, steps: Index, *, adds: bool
    ) -> tuple[()]:
        """Add up a block of rows in registers."""
        code, cut = self.code, self.cut
        row = self._row_of(block)
        rows = [code.add(row, i) for i in range(height)]

        def step(k: Any, *sums: Any) -> list[Any]:
            columns = [code.take(self.panel, k, v * cut.width) for v in range(cut.vectors)]
            depth = code.add(at, code.multiply(k, self.pair))
            numbers = [self._number(group, each, depth) for each in rows]
            pairs = [(number, column) for number in numbers for column in columns]
            return [self._multiply_add(*pair, total) for pair, total in zip(pairs, sums, strict=True)]

        zeros = [self._zeros()] * (height * cut.vectors)
        sums = code.loop(0, code.divide(steps, self.pair)[0], 1, zeros, step)
        for i, total in enumerate(sums):
            place = code.add(code.subtract(row, group.start), i // cut.vectors), i % cut.vectors * cut.width
            before = [code.take(self.sums, *place)] if adds else []
            code.put(reduce(code.sum, before, total), self.sums, *place)
        return ()

    def _number(self, group: _Group, row: Index, depth: Index) -> Any:
        """Return a number of the left side, or two of halves, in all places of a vector."""
        code = self.code
        place = {self.row: row, self.product.depth: depth}
        if not self.halves:
            return code.splat(code.element(self.memories[self.left], self._at(group, self.left, place)))
        return code.splat(code.first_word(self._load(group, self.left, place, None, 2)))

    def _multiply_add(self, number: Any, column: Any, total: Any) -> Any:
        code = self.code
        if self.halves:
            return code.multiply_pairs(number, column, total)
        return code.op("vector.fma", [total.type], [number, column, total])

    def _write_row(self, group: _Group, i: Any, outputs: Sequence[Output]) -> tuple[()]:
        """Compute what follows the product from a row of sums, and write it."""
        code = self.code
        row = code.add(group.start, i)
        for v, (lane, mask) in enumerate(zip(group.lanes, group.masks, strict=True)):
            place = {**group.batch, self.row: row, self.column: lane}
            total = code.take(self.sums, i, v * self.cut.width)
            at = Place(place, mask, total)
            if not self.product.starts_from_zero():
                start = self.values.build(
                    code, self.product.operation.operands[2], self.product.tensors[2], at
                )
                at = Place(place, mask, code.sum(total, start))
            for output in outputs:
                made = self.values.build(code, output.tensor, output.along, at)
                code.store(made, output.memory, [place[loop] for loop in output.along], mask)
        return ()

    def _at(self, group: _Group, side: int, place: dict[int, Index]) -> list[Index]:
        return [{**group.batch, **place}[loop] for loop in self.product.tensors[side]]

    def _load(self, group: _Group, side: int, place: dict[int, Index], mask: Any, count: int = 0) -> Any:
        at = self._at(group, side, place)
        return self.code.load(self.memories[side], at, mask, count or self.cut.width)

    def _words(self, halves: Any) -> Any:
        """Return pairs of halves as numbers of 32 bits."""
        return self.code.op("vector.bitcast", [self.code.vector(self.word)], [halves])
