"""What kernels that take whole rows at a time share: how many rows a block takes, and how many warps."""

from __future__ import annotations

from dataclasses import replace

from myjit.kernels.base import Plan, padded

#: The longest row that fits into the registers of one block.
LONGEST = 16384
#: Elements that a block takes at least, where rows are shorter.
_ELEMENTS = 2048


def blocks(rows: int, columns: int) -> tuple[int, int, int, int]:
    """Return the number of blocks, a block's rows and columns (powers of two), and its warps."""
    width = padded(columns)
    height = max(1, min(_ELEMENTS // width, padded(rows)))
    warps = max(1, min(16, width * height // 512))
    return -(-rows // height), height, width, warps


def others(plan: Plan) -> list[Plan]:
    """Return a plan with half and twice the warps, and with more rows a block where they are short."""
    found = [replace(plan, warps=warps) for warps in (plan.warps // 2, plan.warps * 2) if 1 <= warps <= 32]
    rows, height, width = (plan.constants[name] for name in ("ROWS", "HEIGHT", "WIDTH"))
    for more in (height * 2, height // 2):
        if 1 <= more <= padded(rows) and more * width <= LONGEST:
            grid = (-(-rows // more), 1, 1)
            found.append(replace(plan, grid=grid, constants={**plan.constants, "HEIGHT": more}))
    return found
