"""Give pointwise and reduction dispatches tiles of several vector registers.

IREE's code generator takes one register a loop step. On AVX2 wider tiles win 1.2 × (GELU, softmax) to
6 × (sum over the first dimension): see benchmarks/NOTES.md. Only loops whose length the wider tile
divides are widened, since a remainder would cost more than the width gains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from myjit.mlir.bodies import extracts
from myjit.mlir.dispatches import (
    COMMON,
    INNER,
    REDUCTION,
    VECTOR_LEVELS,
    WORKGROUP,
    Tiled,
    dispatches,
    peel_loops,
)
from myjit.passes.base import Pass

#: Element types that gain. Bytes and bits are widened inside, and lose by half.
WIDE_TYPES = {"f16", "bf16", "f32", "f64", "i32", "i64"}
#: Sums over rows: how many columns a workgroup takes at most, and how many workgroups are left for threads.
_LONGEST_PIECE, _LEAST_WORKGROUPS = 512, 8


@dataclass(frozen=True)
class WidenVectors(Pass):
    """Widen vector tiles, counted in what IREE has chosen (one register).

    `pointwise` is the width of loops without reduction, `columns` that of sums over outer dimensions, of
    whose rows workgroups take longer pieces, `rows` that of reductions along the innermost dimension, of
    `together` rows at a time where one step takes a row whole. What no such tile divides is taken whole
    where it fits into registers: `whole` of them without reductions, `few` with. Of longer rows and those of
    unknown length as many registers are taken at a time as of others, or `few`, and what is left of them by
    a loop of its own.
    """

    IS_TUNING: ClassVar[bool] = True

    pointwise: int = 4
    columns: int = 8
    rows: int = 8
    together: int = 2
    whole: int = 64
    few: int = 4

    def run(self, module: Any) -> None:
        """Rewrite the configurations of dispatches made of plain loops."""
        for dispatch in dispatches(module, "DoubleTilingExpert"):
            if not all(_is_plain(tiled) for tiled in dispatch):
                continue
            reductions = [t for t in dispatch if "reduction" in t.iterators]
            if not all(set(tiled.element_types()) <= WIDE_TYPES for tiled in _widened(dispatch, reductions)):
                continue
            for tiled in reductions:
                _go_down_columns(tiled)
            if any(size > 1 for t in reductions for size in t.tiles.get(REDUCTION, ())):
                self._widen_rows(dispatch)
                continue
            if not reductions and self._in_whole_rows(dispatch):
                continue
            for tiled in reductions:
                _take_columns(tiled)
            most = self.columns if reductions else self.pointwise
            factor = min(_factor(tiled, COMMON, most) for tiled in dispatch)
            for tiled in dispatch:
                _widen(tiled, COMMON, factor)

    def _in_whole_rows(self, dispatch: list[Tiled]) -> bool:
        """Take rows whole that no vector divides: what is left of each would be computed one by one."""
        rows = [t for t in dispatch if t.iterators]
        lengths = {t.extents()[-1] if _place(t, COMMON) == len(t.iterators) - 1 else -1 for t in rows}
        widths = {t.tiles[COMMON][-1] for t in rows}
        if len(lengths) != 1 or len(widths) != 1 or any(len(t.iterators) < 2 for t in rows):
            return False
        (length,), (width,) = lengths, widths
        if length % width == 0 or not width < length <= self.whole * width:
            return False
        for tiled in dispatch:
            tiled.tiles[COMMON][-1] = length
            spread = tiled.tiles.get(WORKGROUP)
            if spread is not None and spread[-1]:
                spread[-2] = max(1, spread[-2] * spread[-1] // length)
                spread[-1] = 0
            tiled.write()
        return True

    def _widen_rows(self, dispatch: list[Tiled]) -> None:
        along = [(t, level) for t in dispatch for level in (INNER, REDUCTION) if _place(t, level) >= 0]
        factor = min(_factor(t, level, self.rows) for t, level in along)
        extents = {t.extents()[_place(t, level)] for t, level in along}
        widths = {t.tiles[level][_place(t, level)] for t, level in along}
        # Of an unknown number of rows IREE takes two in such a way that it looks for the greatest of a row
        # once for each vector of that row; and two rows of a table it would gather. Of rows that take several
        # steps, two wait for each other's registers, and for the first cache where they are kept.
        single = any(t.iterators and (-1 in t.extents() or _reads_anywhere(t)) for t in dispatch)
        together = 1 if single or max(extents) > factor * min(widths) else self.together
        if extents == {-1}:
            factor = self.few
            peel_loops(dispatch[0])
        elif factor < self.rows // 2 and len(extents) == 1:
            (extent,) = extents
            tile = max(widths)
            if extent > self.few * tile:
                factor = self.rows if extent > self.rows * tile else self.few
                peel_loops(dispatch[0])
            elif extent > tile:
                factor = 1
                for tiled, level in along:
                    tiled.tiles[level][_place(tiled, level)] = extent
        for tiled, level in along:
            _widen(tiled, level, factor)
        for tiled in dispatch:
            tiled.tiles[COMMON] = [min(size, together) for size in tiled.tiles[COMMON]]
            tiled.write()


def _widened(dispatch: list[Tiled], reductions: list[Tiled]) -> list[Tiled]:
    """Return the operations whose vectors would grow: not those of a number of each row that is reduced."""
    if not any(_place(t, REDUCTION) >= 0 and not t.goes_down_columns() for t in reductions):
        return dispatch
    return [t for t in dispatch if _place(t, INNER) >= 0 or _place(t, REDUCTION) >= 0]


def _go_down_columns(tiled: Tiled) -> None:
    """Add up one row after the other where rows lie together: IREE adds up several, of sums of products."""
    if tiled.goes_down_columns() and REDUCTION in tiled.tiles:
        tiled.tiles[REDUCTION] = [min(size, 1) for size in tiled.tiles[REDUCTION]]
        tiled.write()


def _take_columns(tiled: Tiled) -> None:
    """Let workgroups take longer pieces of fewer rows: what lies together is read together.

    First as many as there were; then fewer, while that leaves `_LEAST_WORKGROUPS` along the piece.
    """
    loop, spread = _place(tiled, COMMON), tiled.tiles.get(WORKGROUP)
    if spread is None or loop < 0 or not spread[loop]:
        return
    extent = tiled.extents()[loop]
    for other in range(loop):
        while spread[other] > 1 and spread[other] % 2 == 0 and _can_double(spread[loop], extent):
            spread[other] //= 2
            spread[loop] *= 2
    while _can_double(spread[loop], extent) and extent >= 2 * spread[loop] * _LEAST_WORKGROUPS:
        spread[loop] *= 2
    tiled.write()


def _can_double(piece: int, extent: int) -> bool:
    return 2 * piece <= _LONGEST_PIECE and extent > 0 and extent % (2 * piece) == 0


def _is_plain(tiled: Tiled) -> bool:
    """Tell whether an operation is a fill, or loops that vector tiles of one dimension go through."""
    if COMMON not in tiled.tiles or "cache_parallel" in tiled.tiles or _is_contraction(tiled):
        return False
    if tiled.across():  # they go by blocks (transpose-in-registers)
        return False
    single = all(sum(s > 1 for s in tiled.tiles.get(level, ())) <= 1 for level in VECTOR_LEVELS)
    return single and (tiled.operation.name == "linalg.fill" or bool(tiled.iterators))


def _reads_anywhere(tiled: Tiled) -> bool:
    return bool(extracts(tiled.operation))


def _is_contraction(tiled: Tiled) -> bool:
    """Tell whether an operation multiplies and adds up two tensors that have not all loops in common."""
    if "reduction" not in tiled.iterators or len(tiled.operation.operands) != 3 or not tiled.multiplies():
        return False
    first, second, _ = tiled.along()
    return set(first) != set(second)


def _place(tiled: Tiled, level: str) -> int:
    """Return the loop that a level's tile goes along, -1 where it takes single elements."""
    return next((i for i, size in enumerate(tiled.tiles.get(level, ())) if size > 1), -1)


def _factor(tiled: Tiled, level: str, most: int) -> int:
    """Return the greatest power of two up to `most` by which the level's tile can grow."""
    loop = _place(tiled, level)
    if loop < 0 or not tiled.iterators:
        return most
    size, extent = tiled.tiles[level][loop], tiled.extents()[loop]
    limit = tiled.tiles.get(WORKGROUP, [0] * (loop + 1))[loop]
    factor = most
    while factor > 1 and (extent < 1 or extent % (size * factor) or limit % (size * factor)):
        factor //= 2
    return factor


def _widen(tiled: Tiled, level: str, factor: int) -> None:
    loop = _place(tiled, level)
    if loop >= 0 and factor > 1:
        tiled.tiles[level][loop] *= factor
        tiled.write()
