"""`as_strided` where it shows its input as it is: torch says so how a pooled image lies in memory.

torch-mlir turns the op into a lookup of every element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def as_strided(x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None = None) -> Any:
    """Return a view of `x` where size, offset and strides (of more than one element) are its own."""
    if list(size) != list(x.shape) or offset not in (None, x.storage_offset()):
        return NotImplemented
    if any(own != new for own, new, many in zip(x.stride(), stride, size, strict=True) if many != 1):
        return NotImplemented
    return aten.view.default(x, size)


DECOMPOSITIONS = {aten.as_strided.default: as_strided}
