"""Ranges of integers, left whole: their last bits depend on the width of torch's vectors (Reason.WRONG)."""

from __future__ import annotations

from typing import Any

import torch
from torch import _refs

aten = torch.ops.aten


def linspace(start: Any, end: Any, steps: int, *, dtype: torch.dtype | None = None, **options: Any) -> Any:
    """Return `steps` numbers from `start` to `end`, evenly apart."""
    if _is_integer(dtype):
        return NotImplemented
    return _refs.linspace(start, end, steps, dtype=dtype, **options)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: torch.dtype | None = None, **options: Any
) -> Any:
    """Return `base` to the power of `steps` numbers from `start` to `end`, evenly apart."""
    if _is_integer(dtype):
        return NotImplemented
    return _refs.logspace(start, end, steps, base, dtype=dtype, **options)


def _is_integer(dtype: torch.dtype | None) -> bool:
    return dtype is not None and not dtype.is_floating_point and not dtype.is_complex


DECOMPOSITIONS = {
    getattr(packet, overload): function
    for packet, function in ((aten.linspace, linspace), (aten.logspace, logspace))
    for overload in ("default", "Tensor_Tensor", "Tensor_Scalar", "Scalar_Tensor")
}
