"""Assignment through a mask, `x[mask] = number`, as a choice: as an index_put it has no right lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def index_put(
    x: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,  # noqa: FBT001, FBT002 (the op's signature)
) -> Any:
    """Put a single number where one mask of the leading dimensions is true; add truth values as numbers."""
    if accumulate and x.dtype == torch.bool:
        return aten.index_put(x.int(), indices, values.int(), True) != 0
    mask = indices[0]
    if len(indices) != 1 or mask is None or mask.dtype != torch.bool or values.dim() != 0:
        return NotImplemented
    mask = mask.view(*mask.shape, *[1] * (x.dim() - mask.dim()))
    return torch.where(mask, x + values if accumulate else values.to(x.dtype), x)


DECOMPOSITIONS = {aten.index_put.default: index_put}
