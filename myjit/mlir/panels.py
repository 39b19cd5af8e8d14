"""How products of matrices are cut up for `myjit.mlir.panel_kernel`, and which ones it multiplies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from myjit.mlir.operations import operations
from myjit.mlir.products import Product

#: Steps of the sum that a panel holds at most: it stays in a processor's second cache, and on any stack.
_MOST_STEPS = 512
#: Rows of a workgroup at most; its panel is packed once for all of them.
_MOST_ROWS = 256
#: Rows and columns of float32 at least: of fewer, turning a panel takes longer than multiplying it.
_LEAST_ROWS = 16
#: Workgroups that there are to be at least, for several threads.
_LEAST_GROUPS = 16


@dataclass(frozen=True)
class Registers:
    """What a processor has: `count` vectors of `width` 32-bit elements, and products of bfloat16.

    `halves`: those of vectors, `tiles`: those of matrices (AMX), which only libraries use.
    """

    width: int
    count: int
    halves: bool = False
    tiles: bool = False

    def block(self, columns: int) -> tuple[int, int]:
        """Return how many rows at most, and how many vectors of columns, to add up at a time.

        Beside the sums there are vectors of columns, and of numbers of rows: LLVM loads several ahead.
        """
        vectors = 1 if columns <= self.width else 2
        ahead = 6 if self.count > 16 else 1
        return (self.count - vectors - ahead) // vectors, vectors


@dataclass(frozen=True)
class Panels:
    """A product in panels of columns and chunks of blocks of rows, some blocks a row higher than others.

    `steps` of the sum are packed at a time.
    """

    width: int
    vectors: int
    panels: int
    blocks: int
    height: int
    chunk: int
    steps: int

    @property
    def columns(self) -> int:
        return self.width * self.vectors

    @property
    def chunks(self) -> int:
        return -(-self.blocks // self.chunk)


def registers(module: Any) -> Registers | None:
    """Return what the processor has that an IREE-side module is for; None where it multiplies no vectors."""
    features = _features(module)
    if "avx512f" in features:
        return Registers(16, 32, "avx512bf16" in features, "amx-bf16" in features)
    return Registers(8, 16) if {"avx2", "fma"} <= features else None


def _features(module: Any) -> set[str]:
    for op in operations(module.operation):
        for name in ("initial_value", "target"):
            if op.name in ("util.global", "hal.executable.variant") and name in op.attributes:
                found = re.search(r'cpu_features = "([^"]*)"', str(op.attributes[name]))
                if found:
                    return {each[1:] for each in found.group(1).split(",") if each.startswith("+")}
    return set()


def multiplies(product: Product, registers: Registers, *, row: int) -> bool:
    """Tell whether a product can be multiplied by panels, with `row` the loop that is not along vectors."""
    if not product.is_static():
        return False
    left, right = product.tensors[:2] if row == product.row else product.tensors[1::-1]
    column = product.column if row == product.row else product.row
    if right[-1] not in (product.depth, column):
        return False
    if product.element == "f32":
        return min(product.rows, product.columns) >= _LEAST_ROWS
    in_pairs = left[-1] == product.depth and product.depths % 2 == 0
    return product.element == "bf16" and registers.halves and in_pairs


def multiplies_well(product: Product, registers: Registers) -> bool:
    """Tell whether panels multiply a product whose result stays as it lies, no slower than a library."""
    if product.element == "bf16" and registers.tiles:
        return False
    last = product.tensors[2][-1]
    return last in (product.row, product.column) and multiplies(
        product, registers, row=product.row if last == product.column else product.column
    )


def panels(product: Product, registers: Registers, *, row: int) -> Panels:
    """Cut a product up."""
    rows, depth = product.extents[row], product.depths
    columns = product.columns if row == product.row else product.rows
    most, vectors = registers.block(columns)
    blocks = -(-rows // most)
    count = -(-columns // (vectors * registers.width))
    wanted = min(-(-_LEAST_GROUPS // (count * product.count(product.batch))), blocks // 4)
    chunk = -(-blocks // max(-(-rows // _MOST_ROWS), wanted, 1))
    parts, whole = -(-depth // _MOST_STEPS), 2 * registers.width
    steps = -(-depth // (parts * whole)) * whole
    return Panels(registers.width, vectors, count, blocks, -(-rows // blocks), chunk, steps)
