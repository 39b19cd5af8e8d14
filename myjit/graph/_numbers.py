"""Numbers as tensors, for decompositions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._prims_common import is_integer_dtype


def number_tensor(number: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return a number as a tensor of no dimensions; what an integer type cannot hold wraps, as in eager."""
    whole = torch.int64 if is_integer_dtype(dtype) else dtype
    return torch.full((), number, dtype=whole, device=device).to(dtype)
