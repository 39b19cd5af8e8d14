"""Norms: of all elements, in the form that wide-sums knows, and the one of squares without powers.

torch-mlir writes the 2-norm as the power 1/2 of a sum of powers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def norm(x: Tensor, p: float = 2) -> Tensor:
    """Return the `p`-norm."""
    return torch.linalg.vector_norm(x, p)


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,  # noqa: FBT001, FBT002
    *,
    dtype: torch.dtype | None = None,
) -> Any:
    """Return the 2-norm over `dim` (all dimensions without one)."""
    if ord != 2 or x.is_complex():
        return NotImplemented
    kind = dtype or x.dtype
    wide = x.to(torch.float32 if kind in (torch.float16, torch.bfloat16) else kind)
    squares = wide.square().sum(list(dim) if dim else list(range(x.dim())), keepdim=keepdim)
    return squares.sqrt().to(kind)


DECOMPOSITIONS = {aten.norm.Scalar: norm, aten.linalg_vector_norm.default: vector_norm}
