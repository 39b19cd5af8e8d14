"""Convolutions of images that take each channel by itself, with the channels last in memory."""

# pyright: reportMissingImports=false
from __future__ import annotations

import triton
import triton.language as tl

from myjit.kernels.base import Kernel, Numbers, Plan, element, padded

#: Results side by side that a thread computes together: they read the same pixels. The kernel has it so.
_TOGETHER = 4
#: Results that a block computes, the most channels of them, and warps: as usual, and what tuning tries.
_USUAL = (2048, 128, 4)
_OTHERS = ((1024, 128, 4), (2048, 64, 4), (2048, 128, 8), (4096, 128, 8), (4096, 64, 4), (8192, 128, 8))


@triton.jit
def depthwise(
    x, weight, out, PIECES: tl.constexpr, CHANNELS: tl.constexpr, HEIGHT: tl.constexpr, WIDTH: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, R: tl.constexpr, S: tl.constexpr,
    STEP_H: tl.constexpr, STEP_W: tl.constexpr, PAD_H: tl.constexpr, PAD_W: tl.constexpr,
    APART_H: tl.constexpr, APART_W: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr,
):  # fmt: skip
    """The image is [n, HEIGHT, WIDTH, CHANNELS], the weight [CHANNELS, R, S], the result ROWS × COLUMNS.

    A piece is four results of a row, side by side; the last of a row may have fewer.
    """
    WHOLE: tl.constexpr = (COLUMNS + 3) // 4
    pieces = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channels = tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    column, row = pieces % WHOLE * 4, pieces // WHOLE % ROWS
    first = pieces // (ROWS * WHOLE) * HEIGHT
    known = channels < CHANNELS
    one = tl.zeros((BLOCK, WIDE), tl.float32)
    two, three, four = one, one, one
    for i in range(R):
        y = row * STEP_H - PAD_H + i * APART_H
        on_row = (pieces < PIECES) & (y >= 0) & (y < HEIGHT)
        factors = weight + channels * (R * S) + i * S
        for z in tl.static_range(3 * STEP_W + (S - 1) * APART_W + 1):
            place = column * STEP_W - PAD_W + z
            inside = (on_row & (place >= 0) & (place < WIDTH))[:, None] & known[None, :]
            at = ((first + y) * WIDTH + place) * CHANNELS
            values = tl.load(x + at[:, None] + channels[None, :], mask=inside, other=0.0).to(tl.float32)
            for k in tl.static_range(4):
                if z >= k * STEP_W and (z - k * STEP_W) % APART_W == 0 and (z - k * STEP_W) // APART_W < S:
                    factor = tl.load(factors + (z - k * STEP_W) // APART_W, mask=known, other=0.0)
                    added = values * factor.to(tl.float32)[None, :]
                    if k == 0:
                        one += added
                    elif k == 1:
                        two += added
                    elif k == 2:
                        three += added
                    else:
                        four += added
    at = ((pieces // WHOLE * COLUMNS + column) * CHANNELS)[:, None] + channels[None, :]
    inside = (pieces < PIECES)[:, None] & known[None, :]
    kind = out.dtype.element_ty
    tl.store(out + at, one.to(kind), mask=inside)
    tl.store(out + at + CHANNELS, two.to(kind), mask=inside & (column + 1 < COLUMNS)[:, None])
    tl.store(out + at + 2 * CHANNELS, three.to(kind), mask=inside & (column + 2 < COLUMNS)[:, None])
    tl.store(out + at + 3 * CHANNELS, four.to(kind), mask=inside & (column + 3 < COLUMNS)[:, None])


def plan(numbers: Numbers) -> Plan:
    """Launch one block for some pixels of some channels."""
    return _plan(numbers, *_USUAL)


def others(numbers: Numbers) -> list[Plan]:
    """Launch larger and smaller ones."""
    return [_plan(numbers, *form) for form in _OTHERS]


def elements(numbers: Numbers) -> tuple[int, ...]:
    """Return how many there are in the image, the weight and the result."""
    n, c, h, w, r, s, p, q = (numbers[name] for name in "nchwrspq")
    return n * c * h * w, c * r * s, n * c * p * q


def _plan(numbers: Numbers, results: int, widest: int, warps: int) -> Plan:
    pieces, channels = numbers["n"] * numbers["p"] * -(-numbers["q"] // _TOGETHER), numbers["c"]
    wide = min(widest, padded(channels))
    block = results // _TOGETHER // wide
    grid = (-(-pieces // block), -(-channels // wide), 1)
    kind = element(numbers["type"])
    constants = {
        "PIECES": pieces,
        "CHANNELS": channels,
        "HEIGHT": numbers["h"],
        "WIDTH": numbers["w"],
        "ROWS": numbers["p"],
        "COLUMNS": numbers["q"],
        "R": numbers["r"],
        "S": numbers["s"],
        "STEP_H": numbers["steph"],
        "STEP_W": numbers["stepw"],
        "PAD_H": numbers["padh"],
        "PAD_W": numbers["padw"],
        "APART_H": numbers["aparth"],
        "APART_W": numbers["apartw"],
        "BLOCK": block,
        "WIDE": wide,
    }
    return Plan(grid, dict.fromkeys(("x", "weight", "out"), kind), constants, warps)


KERNEL = Kernel(depthwise, plan, others, elements)
