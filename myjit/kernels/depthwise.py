"""Convolutions of images that take each channel by itself, with the channels last in memory."""

# pyright: reportMissingImports=false
from __future__ import annotations

import triton
import triton.language as tl

from myjit.kernels.base import Kernel, Numbers, Plan, element, padded

#: Results that a block computes, and the most channels of them.
_ELEMENTS, _WIDEST = 1024, 128


@triton.jit
def depthwise(
    x, weight, out, PIXELS: tl.constexpr, CHANNELS: tl.constexpr, HEIGHT: tl.constexpr, WIDTH: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, R: tl.constexpr, S: tl.constexpr,
    STEP_H: tl.constexpr, STEP_W: tl.constexpr, PAD_H: tl.constexpr, PAD_W: tl.constexpr,
    APART_H: tl.constexpr, APART_W: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr,
):  # fmt: skip
    """The image is [n, HEIGHT, WIDTH, CHANNELS], the weight [CHANNELS, R, S], the result ROWS × COLUMNS."""
    pixels = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channels = tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    column, row = pixels % COLUMNS, pixels // COLUMNS % ROWS
    first = pixels // (ROWS * COLUMNS) * HEIGHT
    known = (channels < CHANNELS)[None, :]
    total = tl.zeros((BLOCK, WIDE), tl.float32)
    for i in range(R):
        y = row * STEP_H - PAD_H + i * APART_H
        on_row = (pixels < PIXELS) & (y >= 0) & (y < HEIGHT)
        for j in tl.static_range(S):
            z = column * STEP_W - PAD_W + j * APART_W
            inside = (on_row & (z >= 0) & (z < WIDTH))[:, None] & known
            at = ((first + y) * WIDTH + z) * CHANNELS
            values = tl.load(x + at[:, None] + channels[None, :], mask=inside, other=0.0).to(tl.float32)
            factor = tl.load(weight + channels * (R * S) + (i * S + j), mask=channels < CHANNELS, other=0.0)
            # Nothing lies outside of the image, not even zero times a factor that is infinite.
            total += tl.where(inside, values * factor.to(tl.float32)[None, :], 0.0)
    at = (pixels * CHANNELS)[:, None] + channels[None, :]
    tl.store(out + at, total.to(out.dtype.element_ty), mask=(pixels < PIXELS)[:, None] & known)


def plan(numbers: Numbers) -> Plan:
    """Launch one block for some pixels of some channels."""
    pixels, channels = numbers["n"] * numbers["p"] * numbers["q"], numbers["c"]
    wide = min(_WIDEST, padded(channels))
    block = _ELEMENTS // wide
    grid = (-(-pixels // block), -(-channels // wide), 1)
    kind = element(numbers["type"])
    constants = {
        "PIXELS": pixels,
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
    return Plan(grid, dict.fromkeys(("x", "weight", "out"), kind), constants)


KERNEL = Kernel(depthwise, plan)
