"""Variance in the input's own precision, in two passes.

torch-mlir sums in float64, at twice the cost or more, and gives -0 where there are too few elements and
torch gives NaN. The half types are summed in float32, as torch does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def var(
    x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Any:
    """Return the variance over `dim` (all dimensions without one)."""
    result = _var_mean(x, dim, correction, keepdim=keepdim)
    return result if result is NotImplemented else result[0]


def var_mean(
    x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Any:
    """Return the variance and the mean."""
    return _var_mean(x, dim, correction, keepdim=keepdim)


def std(
    x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Any:
    """Return the standard deviation."""
    result = _var_mean(x, dim, correction, keepdim=keepdim)
    return result if result is NotImplemented else result[0].sqrt()


def std_mean(
    x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> Any:
    """Return the standard deviation and the mean."""
    result = _var_mean(x, dim, correction, keepdim=keepdim)
    return result if result is NotImplemented else (result[0].sqrt(), result[1])


def _var_mean(x: Tensor, dim: Sequence[int] | None, correction: float | None, *, keepdim: bool) -> Any:
    if x.is_complex():
        return NotImplemented
    dims = list(dim) if dim else list(range(x.dim()))
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    count = 1
    for d in dims:
        count = count * (x.shape[d] if x.dim() else 1)
    mean = wide.sum(dims, keepdim=True) / count
    squares = (wide - mean).square().sum(dims, keepdim=keepdim)
    degrees = count - (1 if correction is None else correction)
    degrees = torch.sym_max(degrees, 0)
    variance = (squares / degrees).to(x.dtype)
    return variance, (mean if keepdim else mean.squeeze(dims)).to(x.dtype)


DECOMPOSITIONS = {
    aten.var.correction: var,
    aten.var_mean.correction: var_mean,
    aten.std.correction: std,
    aten.std_mean.correction: std_mean,
}
