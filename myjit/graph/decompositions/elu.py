"""ELU, SELU and CELU with every digit: torch-mlir subtracts one from an exponential, which cancels out."""

from __future__ import annotations

import torch
from torch import Tensor

from myjit.graph._types import wide_type

aten = torch.ops.aten


def elu(x: Tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Tensor:
    """Return `x` scaled where it is positive, and a scaled exponential less one where it is not."""
    wide = x.to(wide_type(x.dtype))
    below = torch.expm1(wide * input_scale) * (alpha * scale)
    return torch.where(wide > 0, wide * scale, below).to(x.dtype)


DECOMPOSITIONS = {aten.elu.default: elu}
