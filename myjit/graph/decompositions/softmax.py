"""Softmax by its definition: torch-mlir's finds the maximum with its place, in twice the time.

Its own also never ends on a tensor without dimensions. The half types are summed in float32.
"""

from __future__ import annotations

import torch
from torch import Tensor

from myjit.graph._types import wide_type

aten = torch.ops.aten


def softmax(x: Tensor, dim: int, half_to_float: bool) -> Tensor:  # noqa: FBT001 (the op's signature)
    """Return exp(x) over its sum along `dim`."""
    wide = x.to(wide_type(x.dtype))
    if x.dim() == 0 or 0 in x.shape:
        return (wide - wide + 1).to(_result(x, half_to_float=half_to_float))
    weights = (wide - wide.amax(dim, keepdim=True)).exp()
    return (weights / weights.sum(dim, keepdim=True)).to(_result(x, half_to_float=half_to_float))


def log_softmax(x: Tensor, dim: int, half_to_float: bool) -> Tensor:  # noqa: FBT001 (the op's signature)
    """Return the logarithm of the softmax along `dim`."""
    wide = x.to(wide_type(x.dtype))
    if x.dim() == 0 or 0 in x.shape:
        return (wide - wide).to(_result(x, half_to_float=half_to_float))
    shifted = wide - wide.amax(dim, keepdim=True)
    return (shifted - shifted.exp().sum(dim, keepdim=True).log()).to(_result(x, half_to_float=half_to_float))


def _result(x: Tensor, *, half_to_float: bool) -> torch.dtype:
    return torch.float32 if half_to_float else x.dtype


DECOMPOSITIONS = {aten._softmax.default: softmax, aten._log_softmax.default: log_softmax}
