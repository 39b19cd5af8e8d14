"""Softmax of rows that fit into registers: each is read once and written once."""

# pyright: reportMissingImports=false
from __future__ import annotations

import triton
import triton.language as tl

from myjit.kernels._rows import blocks, others
from myjit.kernels.base import Kernel, Numbers, Plan, element


@triton.jit
def softmax(
    x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, ZEROS: tl.constexpr,
    HEIGHT: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """ZEROS: a row of nothing but -inf gives zeros instead of NaN."""
    rows = (tl.program_id(0) * HEIGHT + tl.arange(0, HEIGHT)).to(tl.int64)[:, None]
    columns = tl.arange(0, WIDTH)[None, :]
    inside = (rows < ROWS) & (columns < COLUMNS)
    at = rows * COLUMNS + columns
    values = tl.load(x + at, mask=inside, other=float("-inf")).to(tl.float32)
    most = tl.max(values, 1)[:, None]
    if ZEROS:
        most = tl.where(most == float("-inf"), 0.0, most)
    weights = tl.exp(values - most)
    weights = tl.where(columns < COLUMNS, weights, 0.0)  # -inf less -inf is no zero
    total = tl.sum(weights, 1)[:, None]
    if ZEROS:
        total = tl.where(total == 0.0, 1.0, total)
    tl.store(out + at, (weights / total).to(out.dtype.element_ty), mask=inside)


def plan(numbers: Numbers) -> Plan:
    """Launch one block for each few rows."""
    count, height, width, warps = blocks(numbers["rows"], numbers["columns"])
    pointers = {"x": element(numbers["type"]), "out": element(numbers["result"])}
    constants = {"ROWS": numbers["rows"], "COLUMNS": numbers["columns"], "ZEROS": numbers["zeros"]}
    return Plan((count, 1, 1), pointers, constants | {"HEIGHT": height, "WIDTH": width}, warps)


def elements(numbers: Numbers) -> tuple[int, ...]:
    """Return how many there are in the rows and the result."""
    count = numbers["rows"] * numbers["columns"]
    return count, count


KERNEL = Kernel(softmax, plan, lambda numbers: others(plan(numbers)), elements)
