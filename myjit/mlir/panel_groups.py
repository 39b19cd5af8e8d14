"""What a workgroup of `myjit.mlir.panel_kernel` works on, and where that lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from myjit.mlir.panels import Panels
from myjit.mlir.sums_of_products import Strides, Sums
from myjit.mlir.tile_values import SINGLE
from myjit.mlir.vector_code import Index, VectorCode


@dataclass(frozen=True)
class Lane:
    """Columns of one line that stand side by side in a panel, from a place of the vector with a number on.

    `first` are the indices of the first one; `valid` is how many exist, and the mask None where they fill it.
    """

    vector: int
    place: int
    first: dict[int, Index]
    valid: Index
    mask: Any


@dataclass(frozen=True)
class Group:
    """What a workgroup works on: indices of the batch, rows and their blocks, and one of its strips.

    `panel` and `strip` are their numbers, `lanes` the strip's columns.
    """

    batch: dict[int, Index]
    blocks: tuple[Index, Index]
    start: Index
    rows: Index
    panel: Index
    strip: Index
    lanes: list[Lane]


@dataclass(frozen=True)
class Steps:
    """A part of the depth: indices of its outer loops, the first step of the loop cut up, and how many."""

    outer: dict[int, Index]
    first: Index
    count: Index


class PanelGroups:
    """Builds what tells a workgroup its rows and columns, at the current insertion point."""

    def __init__(self, code: VectorCode, sums: Sums, cut: Panels) -> None:
        self.code = code
        self.of = sums
        self.cut = cut
        #: How many blocks are `cut.height` rows high; the others have one row less.
        self.higher = sums.count(sums.rows) - cut.blocks * (cut.height - 1)

    def _group(self) -> Group:
        code, cut = self.code, self.cut
        first = code.ir.IntegerAttr.get(code.ir.IndexType.get(), 0)
        number = code.op("hal.interface.workgroup.id", [code.ir.IndexType.get()], dimension=first)
        rest, panel = code.divide(number, cut.panels)
        rest, chunk = code.divide(rest, cut.chunks)
        batch: dict[int, Index] = {SINGLE: 0, **self._split(rest, self.of.batch)}
        low = code.multiply(chunk, cut.chunk)
        blocks = low, code.least(code.add(low, cut.chunk), cut.blocks)
        start = self._row_of(blocks[0])
        rows = code.subtract(self._row_of(blocks[1]), start)
        return self._strip(Group(batch, blocks, start, rows, panel, 0, []), 0)

    def _strip(self, group: Group, number: Index) -> Group:
        """Return the same with another strip."""
        code, cut = self.code, self.cut
        first = code.multiply(code.add(code.multiply(group.panel, cut.strips), number), cut.vectors)
        lanes = [lane for v in range(cut.vectors) for lane in self._lanes(code.add(first, v), v)]
        return replace(group, strip=number, lanes=lanes)

    def _strips(self, group: Group, work: Callable[[Group], object]) -> None:
        """Do something for each strip of a panel."""
        code, cut = self.code, self.cut
        if cut.strips == 1:
            work(group)
            return

        def each(number: Any) -> tuple[()]:
            work(self._strip(group, number))
            return ()

        left = code.subtract(-(-cut.all_vectors // cut.vectors), code.multiply(group.panel, cut.strips))
        code.loop(0, code.least(cut.strips, left), 1, [], each)

    def _lanes(self, number: Index, vector: int) -> list[Lane]:
        """Return what a vector of columns holds, by its number among all, and among those of a strip."""
        code, cut, of = self.code, self.cut, self.of
        all_lines, in_line = of.count(of.lines), -(-of.columns // cut.width)
        all_exist = cut.panels * cut.strips * cut.vectors == cut.all_vectors and all_lines % cut.lines == 0
        line, place = code.divide(number, in_line)
        first = code.multiply(place, cut.width)
        count = (
            code.least(cut.width, code.subtract(of.columns, first)) if of.columns % cut.width else cut.width
        )
        lanes = []
        for i in range(cut.lines):
            here, valid = code.add(code.multiply(line, cut.lines), i), count
            if not all_exist:  # what the last panel's vectors have more are none
                valid = code.multiply(valid, code.least(1, code.beyond(all_lines, here)))
                here = code.least(here, all_lines - 1)
            mask = None if valid == cut.width else code.mask(valid, cut.width)
            indices = {**self._split(here, of.lines), of.column: first}
            lanes.append(Lane(vector, i * of.columns, indices, valid, mask))
        return lanes

    def _row_of(self, block: Index) -> Index:
        """Return a block's first row."""
        code = self.code
        return code.add(code.multiply(block, self.cut.height - 1), code.least(block, self.higher))

    def _split(self, number: Index, loops: Sequence[int]) -> dict[int, Index]:
        """Return the indices of loops that stand for one, at a step of it."""
        found: dict[int, Index] = {}
        for loop in reversed(loops[1:]):
            number, found[loop] = self.code.divide(number, self.of.extents[loop])
        return {loops[0]: number, **found} if loops else {}

    def _linear(self, indices: dict[int, Index], strides: Strides) -> Index:
        """Return how many elements behind a side's first one an element lies."""
        code = self.code
        place: Index = 0
        for loop, at in indices.items():
            if loop in strides:
                place = code.add(place, code.multiply(at, strides[loop]))
        return place

    def _started(self, steps: Steps) -> dict[int, Index]:
        return {**steps.outer, self.of.depth[self.cut.level]: steps.first}

    def _flat(self, steps: Steps) -> Index:
        """Return how many steps of the whole depth come before these."""
        code, of = self.code, self.of
        done: Index = 0
        for i, (loop, at) in enumerate(self._started(steps).items()):
            assert of.depth[i] == loop
            done = code.add(done, code.multiply(at, of.count(of.depth[i + 1 :])))
        return done

    def _begins(self, group: Group) -> list[Index]:
        """Return where a strip's lanes begin on the right side, at the first step of the depth."""
        right = self.of.strides[self.of.right]
        return [self._linear({**group.batch, **lane.first}, right) for lane in group.lanes]

    def _row_place(self, group: Group, row: Index, steps: Steps) -> Index:
        """Return where a row of the left side begins, at the first of some steps of the depth."""
        indices = {**group.batch, **self._started(steps), **self._split(row, self.of.rows)}
        return self._linear(indices, self.of.strides[self.of.left])
