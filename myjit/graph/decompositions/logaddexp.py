"""Logarithms of sums of exponentials, of infinities and NaN too, which torch-mlir mixes up."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import wide_type

aten = torch.ops.aten


def logaddexp(a: Tensor, b: Tensor) -> Any:
    """Return log(exp(a) + exp(b))."""
    larger, less, dtype = _apart(a, b)
    return (larger + torch.log1p(torch.exp(less))).to(dtype)


def logaddexp2(a: Tensor, b: Tensor) -> Any:
    """Return log2(2^a + 2^b)."""
    larger, less, dtype = _apart(a, b)
    return (larger + torch.log1p(torch.exp2(less)) / math.log(2)).to(dtype)


def _apart(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, torch.dtype]:
    """Return the larger, how much less the other is (0 for equal infinities), and the result's type."""
    dtype = torch.result_type(a, b)
    a, b = (x.to(wide_type(dtype)) for x in (a, b))
    return torch.maximum(a, b), torch.where(a == b, 0, -(a - b).abs()), dtype


DECOMPOSITIONS = {aten.logaddexp.default: logaddexp, aten.logaddexp2.default: logaddexp2}
