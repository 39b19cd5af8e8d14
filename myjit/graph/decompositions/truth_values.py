"""Arithmetic and order of truth values, as numbers: torch-mlir reads true as -1 here, and what it is compared
with as unsigned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def _as_numbers(compare: Any) -> Callable[..., Any]:
    def compared(x: Tensor, other: Tensor | float) -> Any:
        if x.dtype is not torch.bool:
            return NotImplemented
        dtype = torch.promote_types(torch.result_type(x, other), torch.int32)
        return compare(x.to(dtype), other.to(dtype) if isinstance(other, Tensor) else other)

    compared.__doc__ = f"Return `{compare}` of truth values and others in a type that holds both."
    return compared


def add(x: Tensor, other: Tensor | float, alpha: float = 1) -> Any:
    """Add the number that a truth value is to truth values: it is true where either is."""
    if x.dtype is not torch.bool or not isinstance(other, bool) or alpha != 1:
        return NotImplemented
    return torch.logical_or(x, torch.full_like(x, other))


_COMPARISONS = (aten.lt, aten.le, aten.gt, aten.ge)

DECOMPOSITIONS = {
    **{op: _as_numbers(op) for each in _COMPARISONS for op in (each.Tensor, each.Scalar)},
    aten.add.Tensor: add,
}
