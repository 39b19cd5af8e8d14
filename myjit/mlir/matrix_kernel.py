"""Add up products of bfloat16 in the registers for matrices that processors with AMX have.

The panels are those of `myjit.mlir.panel_kernel`: pairs of steps of the depth side by side, columns one after
the other, are what the right side's registers hold. Those of the left side are loaded from where it lies. The
left side of a convolution is its kernel; a panel holds places of its result, packed from the image's windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from myjit.mlir.amx import ROW_BYTES, ROWS, STEPS, MatrixCode
from myjit.mlir.panel_groups import Group, Steps
from myjit.mlir.panel_kernel import Output, PanelKernel, Part
from myjit.mlir.panels import FARTHEST
from myjit.mlir.vector_code import Index, VectorCode

#: Lines of a vector, at most, whose columns are rather loaded for each step than turned.
_FEW_LINES = 2
#: Bytes of a sum and of a pair of halves, and of a half.
_WORD, _HALF = 4, 2


class MatrixKernel(PanelKernel):
    """Writes the code of sums that `myjit.mlir.panels.multiplies_matrices`.

    What whole registers leave of the depth fills their rows with zeros.
    """

    def write(self, outputs: Sequence[Output]) -> None:
        """Write the kernel."""
        self.matrices = MatrixCode(self.code)
        self.rest = self.code.scratch(self.cut.height, ROW_BYTES // _WORD, self.word)
        self.matrices.save_shapes()
        super().write(outputs)
        self.matrices.restore_shapes()

    def _parts(self, group: Group, outer: dict[int, Index]) -> tuple[()]:
        """Add up all parts of the depth; the last one, which may be shorter, apart."""
        code, steps = self.code, self.cut.steps
        extent = self.of.count(self.of.depth)
        last = extent - extent % steps
        code.loop(0, last, steps, [], lambda at: self._part(group, Steps(outer, at, steps), adds=True))
        if last < extent:
            self._part(group, Steps(outer, last, extent - last), adds=True)
        return ()

    def _pack(self, group: Group, steps: Steps) -> None:
        """Pack some steps of the depth, and zeros up to what registers hold."""
        code, cut, of = self.code, self.cut, self.of
        if of.strides[of.right][of.column] > FARTHEST:  # turned, which packs as much as registers hold
            super()._pack(group, steps)
            return
        if self._turns_runs():
            self._pack_runs(group, steps)
        else:
            self._pack_windows(group, steps)
        for row in range(-(-steps.count // 2), -(-steps.count // STEPS) * ROWS):
            for v in range(cut.vectors):
                place = code.add(self._slot(group), row)
                code.put(code.zeros(self.word, cut.width), self.panel, place, v * cut.width)

    def _pack_windows(self, group: Group, steps: Steps) -> None:
        """Pack pairs of places of one window, or of two, one after the other."""
        code, cut, of = self.code, self.cut, self.of
        right, windows, strip = of.strides[of.right], of.windows, self._slot(group)
        places = [_place(code, windows.inside, k) for k in range(windows.places)]
        lanes, apart, period = group.lanes, right[of.column], windows.period
        begins = self._begins(group)
        first = code.divide(steps.first, windows.places)[0]
        nothing = code.zeros(code.ir.BF16Type.get(), apart * cut.width)

        def packed(i: Any, count: int = period) -> tuple[()]:
            several = period // windows.places
            numbers = [code.add(first, code.add(code.multiply(i, several), j)) for j in range(several)]
            here = [_place(code, windows.outer, number) for number in numbers]
            slot = code.add(strip, code.multiply(i, period // 2))
            for k in range(0, count, 2):
                rows = [[nothing] * cut.vectors] * 2
                for j in range(k, min(k + 2, count)):
                    place = code.add(here[j // windows.places], places[j % windows.places])
                    rows[j - k] = self._columns(lanes, [code.add(begin, place) for begin in begins], apart)
                for v, pair in enumerate(zip(*rows, strict=True)):
                    pairs = self._words(code.interleaved(pair, apart))
                    code.put(pairs, self.panel, code.add(slot, k // 2), v * cut.width)
            return ()

        code.loop(0, steps.count // period, 1, [], packed)
        packed(steps.count // period, steps.count % period)

    def _turns_runs(self) -> bool:
        """Tell whether steps lie one after the other in runs of pairs, and columns in many lines.

        A vector takes several runs as it does lines (`panels`): none is loaded from before the first element.
        """
        runs, ahead = self.of.runs, 1
        for extent, step in reversed([*runs.outer, *runs.inside]):
            if step < ahead:
                return False
            ahead *= extent
        return self.cut.lines > _FEW_LINES and runs.inside[0][1] == 1 and runs.places % 2 == 0

    def _pack_runs(self, group: Group, steps: Steps) -> None:
        """Pack runs of steps, as many as a vector holds, of a vector's columns: turn them in registers."""
        code, cut, of = self.code, self.cut, self.of
        right, runs = of.strides[of.right], of.runs
        places, count = runs.places, steps.count // runs.places
        at_once = min(STEPS // places, count)
        first = code.divide(steps.first, places)[0]
        columns: list[list[Index]] = [[] for _ in range(cut.vectors)]
        for lane, begin in zip(group.lanes, self._begins(group), strict=True):
            apart = (code.add(begin, column * right[of.column]) for column in range(of.columns))
            columns[lane.vector].extend(apart)

        def packed(number: Any, together: int) -> tuple[()]:
            number = code.multiply(number, at_once)
            here = [_place(code, runs.outer, code.add(first, code.add(number, i))) for i in range(together)]
            slot = code.add(self._slot(group), code.multiply(number, places // 2))
            for v in range(cut.vectors):
                rows = []
                for begin in columns[v]:
                    run = [
                        Part(i * places, (i + 1) * places, code.add(begin, each))
                        for i, each in enumerate(here)
                    ]
                    rows.append(self._words(self._side_by_side(run, STEPS)))
                rows += rows[-1:] * (cut.width - len(rows))  # columns that are none
                for i, row in enumerate(code.transposed(rows)[: together * places // 2]):
                    code.put(row, self.panel, code.add(slot, i), v * cut.width)
            return ()

        code.loop(0, count // at_once, 1, [], lambda i: packed(i, at_once))
        if count % at_once:
            packed(count // at_once, count % at_once)

    def _prepare(self, height: int) -> None:
        """Have the registers hold blocks of so many rows: sums first, then the left side, then the right."""
        parts = [len(rows) for rows in _parts(height)]
        vectors = self.cut.vectors
        sums = [part for part in parts for _ in range(vectors)]
        self.matrices.shape([*sums, *parts, *[ROWS] * vectors])

    def _multiply(self, group: Group, block: Any, height: int, steps: Steps, *, adds: bool) -> None:
        """Add up a block of rows in registers."""
        code, cut, of, matrices = self.code, self.cut, self.of, self.matrices
        parts, vectors = _parts(height), range(cut.vectors)
        sums = [(part, v) for part in range(len(parts)) for v in vectors]
        row = self._row_of(block)
        begin, between = self._row_place(group, row, steps), of.strides[of.left][of.rows[-1]]
        first, width = self._sums_row(group, row), cut.columns * _WORD
        memory = [code.inside(self.sums, code.add(first, parts[p].start), v * cut.width) for p, v in sums]
        for total, place in enumerate(memory):
            if adds:
                matrices.load(total, place, width)
            else:
                matrices.clear(total)

        def step(place: Index, slot: Index) -> tuple[()]:
            here = [code.add(code.add(begin, place), part.start * between) for part in parts]
            left = [matrices.address(self.memories[of.left], each) for each in here]
            self._add_up(left, between * _HALF, code.add(strip, slot))
            return ()

        strip = self._slot(group)
        code.loop(
            0, steps.count // STEPS, 1, [], lambda i: step(code.multiply(i, STEPS), code.multiply(i, ROWS))
        )
        rest = steps.count % STEPS
        if rest:
            whole = steps.count - rest
            mask = code.mask(rest, STEPS)
            for i in range(height):
                here = code.add(code.add(begin, whole), i * between)
                code.put(self._words(self._load(of.left, here, mask, STEPS)), self.rest, i, 0)
            left = [code.inside(self.rest, part.start, 0) for part in parts]
            self._add_up(left, ROW_BYTES, code.add(strip, whole // 2))
        for total, place in enumerate(memory):
            matrices.store(total, place, width)

    def _add_up(self, left: Sequence[Any], between: int, slot: Index) -> None:
        """Multiply what lies at addresses, in rows `between` bytes apart, and the panel from `slot` on."""
        code, cut, matrices = self.code, self.cut, self.matrices
        sums = len(left) * cut.vectors
        for v in range(cut.vectors):
            place = code.inside(self.panel, slot, v * cut.width)
            matrices.load(sums + len(left) + v, place, cut.columns * _WORD)
        for part, address in enumerate(left):
            matrices.load(sums + part, address, between)
        for total in range(sums):
            part, v = divmod(total, cut.vectors)
            matrices.multiply(sums + part, sums + len(left) + v, total)


def _parts(height: int) -> list[range]:
    """Cut rows of a block into those of registers."""
    return [range(first, min(first + ROWS, height)) for first in range(0, height, ROWS)]


def _place(code: VectorCode, loops: Sequence[tuple[int, int]], number: Index) -> Index:
    """Return how far a step goes of loops that stand for one."""
    place: Index = 0
    for extent, step in reversed(loops[1:]):
        number, at = code.divide(number, extent)
        place = code.add(place, code.multiply(at, step))
    return code.add(code.multiply(number, loops[0][1]), place) if loops else place
