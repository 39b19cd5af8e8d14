"""How sums of products are cut up for `myjit.mlir.panel_kernel`, and which ones it adds up."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from myjit.mlir.amx import ROWS, STEPS
from myjit.mlir.context import bindings
from myjit.mlir.libraries import may_use
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.sums_of_products import Sums, go_on, last_run, sums

#: The module attribute that holds the executable target of the processor, before IREE has put it in place.
PROCESSOR = "myjit.processor"
#: The module attribute that says that loops of convolutions were written to be added up by panels.
CONVOLUTIONS = "myjit.convolutions"
#: The operations that tell what processor code is for, and the attribute that does.
_PROCESSORS = {
    "builtin.module": PROCESSOR,
    "util.global": "initial_value",
    "hal.executable.variant": "target",
}
#: Steps of the sum that a panel holds at most: it stays in a processor's second cache, and on any stack.
_MOST_STEPS = 512
#: The same of one that AMX multiplies by, about.
_MATRIX_STEPS = 1024
#: Rows of a workgroup at most; its panel is packed once for all of them.
MOST_ROWS = 256
_MATRIX_ROWS = 512
#: Bytes of the strips that are packed together for AMX, and of their sums, about: the left side is read once
#: for all of them.
_MATRIX_BYTES = 2**18
#: Elements from column to column that are packed for AMX, at most: images are read in steps of two as well.
FARTHEST = 2
#: Lines whose columns a vector takes, at most.
_MOST_LINES = 5
#: Rows and columns of float32 at least: of fewer, turning a panel takes longer than multiplying it.
LEAST_ROWS, LEAST_COLUMNS = 9, 8
#: Places of a convolution's result at least, for the same reason.
LEAST_PLACES = 16
#: Steps of the sum at least that AMX multiplies well: half of what its registers hold.
LEAST_STEPS = 16
#: Workgroups that there are to be at least, for several threads.
_LEAST_GROUPS = 16


@dataclass(frozen=True)
class Registers:
    """What a processor has: `count` vectors of `width` 32-bit elements, and products of bfloat16.

    `halves`: those of vectors, `tiles`: those of matrices (AMX).
    """

    width: int
    count: int
    halves: bool = False
    tiles: bool = False

    def rows(self, vectors: int) -> int:
        """Return how many rows at most to add up at a time, of so many vectors of columns.

        Beside the sums there are vectors of columns, and of numbers of rows: LLVM loads several ahead.
        """
        ahead = 6 if self.count > 16 else 1
        return (self.count - vectors - ahead) // vectors


@dataclass(frozen=True)
class Panels:
    """Sums in panels of columns and chunks of blocks of rows, some blocks a row higher than others.

    A panel has several strips, of as many vectors of columns as are added up at a time. A vector holds the
    columns of so many `lines`, or a part of one; in all panels there are `all_vectors`. So many `steps` of
    the depth's loop number `level` are packed at a time, of `inner` products each.
    """

    width: int
    lines: int
    all_vectors: int
    vectors: int
    strips: int
    panels: int
    blocks: int
    height: int
    chunk: int
    level: int
    steps: int
    inner: int

    @property
    def columns(self) -> int:
        """Columns of a strip."""
        return self.width * self.vectors

    @property
    def chunks(self) -> int:
        return -(-self.blocks // self.chunk)


def registers(module: Any) -> Registers | None:
    """Return what the processor has that an IREE-side module is for; None where it multiplies no vectors."""
    features = _features(module)
    return registers_of(
        features if may_use(module, "amx") else {f for f in features if not f.startswith("amx")}
    )


def registers_of(features: Set[str]) -> Registers | None:
    """Return what a processor of these features has, as LLVM names them or Linux (`amx-bf16`, `amx_bf16`)."""
    names = {re.sub(r"[._-]", "", name) for name in features}
    if "avx512f" in names:
        return Registers(16, 32, "avx512bf16" in names, "amxbf16" in names)
    return Registers(8, 16) if {"avx2", "fma"} <= names else None


def _features(module: Any) -> set[str]:
    """Return LLVM's names of what the processor has that an IREE-side module is for; none if not said."""
    for op in (module.operation, *operations(module.operation)):
        for kind, name in _PROCESSORS.items():
            if op.name == kind and name in op.attributes:
                found = re.search(r'cpu_features = "([^"]*)"', str(op.attributes[name]))
                if found:
                    return {each[1:] for each in found.group(1).split(",") if each.startswith("+")}
    return set()


def multiplies(sums: Sums, registers: Registers, columns: int | None = None) -> bool:
    """Tell whether panels can add products up; `columns` counts those of all loops that are to become one."""
    if multiplies_matrices(sums, registers):
        return True
    right, last = sums.strides[sums.right], sums.depth[-1]
    if not sums.goes_on(sums.right) or 1 not in (right[sums.column], right[last]):
        return False
    if sums.element == "f32":
        # Of convolutions any number; those whose windows have one place are products of several loops.
        is_product = not sums.has_windows and len(sums.depth) == 1
        # Columns that the result does not lie along are its rows.
        least = LEAST_COLUMNS if sums.column == sums.result[-1] else LEAST_ROWS
        enough = not is_product or (columns or sums.columns) >= least
        return enough and sums.count(sums.rows) >= LEAST_ROWS
    in_pairs = sums.strides[sums.left][last] == 1 and sums.extents[last] % 2 == 0
    return sums.element == "bf16" and registers.halves and in_pairs


def multiplies_matrices(sums: Sums, registers: Registers) -> bool:
    """Tell whether AMX can add products up: those whose left side lies along the depth, evenly apart."""
    if sums.element != "bf16" or not registers.tiles:
        return False
    left, right = (sums.strides[side] for side in (sums.left, sums.right))
    steps, last = sums.count(sums.depth), sums.depth[-1]
    evenly = sums.goes_on(sums.left) and go_on(left, sums.extents, sums.rows)
    is_turned = len(sums.depth) == 1 and right[last] == 1
    enough = steps >= LEAST_STEPS or sums.has_windows
    return evenly and left[last] == 1 and enough and (is_turned or right[sums.column] <= FARTHEST)


def multiplies_well(product: Any, registers: Registers) -> bool:
    """Tell whether panels multiply a product whose result stays as it lies, no slower than a library.

    An image's rows are columns too: IREE makes one loop of them, or else channels become the columns.
    """
    last = Loops(product).inner_loops()[2]
    found = sums(product, last) if last >= 0 else None
    if found is None:
        return False
    if found.element == "bf16" and registers.tiles:
        return multiplies_matrices(found, registers)
    left, right = (found.strides[side] for side in (found.left, found.right))
    return multiplies(found, registers, found.count(last_run(found.result, {*right} - {*left})))


def convolves(operation: Any, places: Sequence[int], registers: Registers) -> bool:
    """Tell whether panels add up a convolution of known sizes, with so many places of the result."""
    ir = bindings(operation).ir
    types = [ir.ShapedType(value.type) for value in operation.operands]
    if any(kind.is_dynamic_dim(dim) for kind in types for dim in range(kind.rank)):
        return False
    elements = [str(kind.element_type) for kind in types]
    if elements == ["bf16", "bf16", "f32"]:
        fits = list(operation.attributes["strides"])[-1] <= FARTHEST
        if not registers.tiles or not fits or places[-1] == 1:
            return False
    elif elements != ["f32"] * 3:
        return False
    return math.prod(places) >= LEAST_PLACES


def panels(sums: Sums, registers: Registers) -> Panels:
    """Cut sums up."""
    rows, is_matrices = sums.count(sums.rows), multiplies_matrices(sums, registers)
    lines = _lines_beside(sums, registers.width, FARTHEST if is_matrices else 1)
    in_line = -(-sums.columns // registers.width)
    all_vectors = -(-sums.count(sums.lines) // lines) * in_line
    vectors = min(all_vectors, 2)
    most, most_rows = (2 * ROWS, _MATRIX_ROWS) if is_matrices else (registers.rows(vectors), MOST_ROWS)
    blocks = -(-rows // most)
    level, steps, inner = _matrix_parts(sums) if is_matrices else _parts(sums, registers)
    all_strips, batch, most_strips = -(-all_vectors // vectors), sums.count(sums.batch), 1
    if is_matrices:
        strip = (steps * inner // 2 + min(rows, most_rows)) * vectors * registers.width * 4
        most_strips = _MATRIX_BYTES // strip
    strips = max(1, min(most_strips, all_strips * batch // _LEAST_GROUPS))
    count = -(-all_strips // strips)
    wanted = min(-(-_LEAST_GROUPS // (count * batch)), blocks // 4)
    return Panels(
        width=registers.width,
        lines=lines,
        all_vectors=all_vectors,
        vectors=vectors,
        strips=strips,
        panels=count,
        blocks=blocks,
        height=-(-rows // blocks),
        chunk=-(-blocks // max(-(-rows // most_rows), wanted, 1)),
        level=level,
        steps=steps,
        inner=inner,
    )


def _lines_beside(sums: Sums, width: int, farthest: int) -> int:
    """Return how many lines' columns one vector takes, of those that are packed up to so far from each other.

    A line is loaded as from so many places before it that it stands where it belongs, masked: that is never
    before the first element.
    """
    right, columns = sums.strides[sums.right], sums.columns
    apart = right[sums.column]
    inner = [sums.count(sums.lines[i + 1 :]) for i in range(len(sums.lines))]
    if apart > farthest or any(
        right[line] < n * columns * apart for line, n in zip(sums.lines, inner, strict=True)
    ):
        return 1
    return max(1, min(width // columns, sums.count(sums.lines), _MOST_LINES))


def _parts(sums: Sums, registers: Registers) -> tuple[int, int, int]:
    """Return which loop of the depth is cut up, into parts of how many steps, and products of each."""
    level, inner = 0, [sums.count(sums.depth[i + 1 :]) for i in range(len(sums.depth))]
    while inner[level] > _MOST_STEPS:
        level += 1
    whole = 2 * registers.width if inner[level] == 1 else 1
    return level, _evenly(sums.extents[sums.depth[level]], _MOST_STEPS // inner[level], whole), inner[level]


def _matrix_parts(sums: Sums) -> tuple[int, int, int]:
    """Return the same for AMX: the whole depth is one loop, whose parts begin with whole windows."""
    steps = sums.count(sums.depth)
    whole = math.lcm(sums.windows.period, STEPS) if steps > _MATRIX_STEPS else STEPS
    return len(sums.depth) - 1, _evenly(steps, _MATRIX_STEPS, whole), 1


def _evenly(count: int, most: int, whole: int) -> int:
    """Return the size of equal parts of so many steps, `most` each or about that, in multiples of `whole`."""
    parts = -(-count // most)
    return -(-count // (parts * whole)) * whole
