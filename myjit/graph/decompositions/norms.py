"""Norms: of all elements, as wide-sums knows them, those of squares without powers, and a gradient.

torch-mlir writes the 2-norm as the power 1/2 of a sum of powers, and has nothing for the gradient of a
normalized weight.
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


def weight_norm_backward(
    grad: Tensor, v: Tensor, g: Tensor, norms: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """Return the gradients of v and g, where w = g v / ‖v‖ with a norm for each place along `dim`.

    dg = ⟨dw, v⟩ / ‖v‖ and dv = g / ‖v‖ (dw - v ⟨dw, v⟩ / ‖v‖²).
    """
    kind = torch.promote_types(v.dtype, torch.float32)
    dw, direction, scale, length = (x.to(kind) for x in (grad, v, g, norms))
    along = (dw * direction).sum([d for d in range(v.dim()) if d != dim], keepdim=True) / length
    grad_v = (dw - direction * (along / length)) * (scale / length)
    return grad_v.to(v.dtype), along.to(g.dtype)


DECOMPOSITIONS = {
    aten.norm.Scalar: norm,
    aten.linalg_vector_norm.default: vector_norm,
    aten._weight_norm_interface_backward.default: weight_norm_backward,
}
