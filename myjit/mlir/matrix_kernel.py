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
from myjit.mlir.panel_kernel import Output, PanelKernel
from myjit.mlir.panels import FARTHEST
from myjit.mlir.vector_code import Index

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
        """Pack some steps of the depth, and zeros up to what registers hold.

        A number of windows that is whole pairs of their places lies evenly apart from the next ones.
        """
        code, cut, of = self.code, self.cut, self.of
        if of.strides[of.right][of.column] > FARTHEST:  # turned, which packs as much as registers hold
            super()._pack(group, steps)
            return
        right, period = of.strides[of.right], of.period
        places = [self._linear(self._split(k, of.depth), right) for k in range(period)]
        window = of.count(of.depth[1:])
        begin = code.multiply(code.divide(steps.first, window)[0], right[of.depth[0]])
        lanes, apart = group.lanes, right[of.column]
        columns = [code.add(begin, self._linear({**group.batch, **lane.first}, right)) for lane in lanes]
        between, strip = period // window * right[of.depth[0]], self._slot(group)
        nothing = code.zeros(code.ir.BF16Type.get(), apart * cut.width)

        def packed(i: Any, count: int = period) -> tuple[()]:
            here = [code.add(each, code.multiply(i, between)) for each in columns]
            slot = code.add(strip, code.multiply(i, period // 2))
            for k in range(0, count, 2):
                both = [
                    [code.add(each, further) for each in here] for further in places[k : min(k + 2, count)]
                ]
                rows = [self._columns(lanes, each, apart) for each in both]
                rows += [[nothing] * cut.vectors] * (2 - len(rows))
                for v, pair in enumerate(zip(*rows, strict=True)):
                    pairs = self._words(code.interleaved(pair, apart))
                    code.put(pairs, self.panel, code.add(slot, k // 2), v * cut.width)
            return ()

        code.loop(0, steps.count // period, 1, [], packed)
        packed(steps.count // period, steps.count % period)
        for row in range(-(-steps.count // 2), -(-steps.count // STEPS) * ROWS):
            for v in range(cut.vectors):
                code.put(code.zeros(self.word, cut.width), self.panel, code.add(strip, row), v * cut.width)

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
