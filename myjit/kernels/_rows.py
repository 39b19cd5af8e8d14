"""What kernels that take whole rows at a time share: how many rows a block takes, and how many warps."""

from __future__ import annotations

from myjit.kernels.base import padded

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
