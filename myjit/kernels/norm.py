"""Layer and RMS normalisation of rows that fit into registers, with weight and bias."""

# pyright: reportMissingImports=false
from __future__ import annotations

import triton
import triton.language as tl

from myjit.kernels._rows import blocks, others
from myjit.kernels.base import Kernel, Numbers, Plan, element
from myjit.launches import float_of


@triton.jit
def norm(
    x, weight, bias, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CENTRED: tl.constexpr,
    EPSILON: tl.constexpr, ROUNDED: tl.constexpr, WEIGHTED: tl.constexpr, BIASED: tl.constexpr,
    HEIGHT: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """ROUNDED: rows are rounded to the result's type before the weight, as models in half types do."""
    rows = (tl.program_id(0) * HEIGHT + tl.arange(0, HEIGHT)).to(tl.int64)[:, None]
    columns = tl.arange(0, WIDTH)[None, :]
    inside = (rows < ROWS) & (columns < COLUMNS)
    at = rows * COLUMNS + columns
    values = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    if CENTRED:
        values -= tl.sum(values, 1)[:, None] / COLUMNS
        values = tl.where(columns < COLUMNS, values, 0.0)
    spread = tl.sum(values * values, 1)[:, None] / COLUMNS
    values *= tl.rsqrt(spread + EPSILON)
    if ROUNDED:
        values = values.to(out.dtype.element_ty).to(tl.float32)
    if WEIGHTED:
        values *= tl.load(weight + columns, mask=columns < COLUMNS, other=0.0).to(tl.float32)
    if BIASED:
        values += tl.load(bias + columns, mask=columns < COLUMNS, other=0.0).to(tl.float32)
    tl.store(out + at, values.to(out.dtype.element_ty), mask=inside)


def plan(numbers: Numbers) -> Plan:
    """Launch one block for each few rows."""
    count, height, width, warps = blocks(numbers["rows"], numbers["columns"])
    weighted, biased = numbers["weighted"], numbers["biased"]
    pointers = {
        "x": element(numbers["type"]),
        "weight": element(numbers["weight_type"]) if weighted else None,
        "bias": element(numbers["bias_type"]) if biased else None,
        "out": element(numbers["result"]),
    }
    constants = {
        "ROWS": numbers["rows"],
        "COLUMNS": numbers["columns"],
        "CENTRED": numbers["centred"],
        "EPSILON": float_of(numbers["epsilon"]),
        "ROUNDED": numbers["rounded"],
        "WEIGHTED": weighted,
        "BIASED": biased,
        "HEIGHT": height,
        "WIDTH": width,
    }
    return Plan((count, 1, 1), pointers, constants, warps)


def elements(numbers: Numbers) -> tuple[int, ...]:
    """Return how many there are in the rows, the weight and the bias where there are, and the result."""
    count, columns = numbers["rows"] * numbers["columns"], numbers["columns"]
    return count, *[columns] * (numbers["weighted"] + numbers["biased"]), count


KERNEL = Kernel(norm, plan, lambda numbers: others(plan(numbers)), elements)
