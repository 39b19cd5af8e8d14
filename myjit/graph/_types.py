"""The types that torch computes functions in, for what writes them out."""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor


def common_type(x: Tensor, *others: Tensor | float | None) -> torch.dtype:
    """Return the type of a function of a tensor and others, some of which may be missing."""
    return reduce(torch.promote_types, [torch.result_type(x, each) for each in others if each is not None])


def float_type(x: Tensor, other: Tensor | float = 0) -> torch.dtype:
    """Return the floating-point type of a function's result: the default one where it takes integers."""
    dtype = torch.result_type(x, other)
    return dtype if dtype.is_floating_point else torch.get_default_dtype()


def wide_type(dtype: torch.dtype) -> torch.dtype:
    """Return the type to compute in: float32 for the half types."""
    return torch.promote_types(dtype, torch.float32)
