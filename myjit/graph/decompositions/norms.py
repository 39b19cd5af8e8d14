"""The norm of all elements, in the form that the half types are added up in float32 for (wide-sums)."""

from __future__ import annotations

import torch
from torch import Tensor

aten = torch.ops.aten


def norm(x: Tensor, p: float = 2) -> Tensor:
    """Return the `p`-norm."""
    return torch.linalg.vector_norm(x, p)


DECOMPOSITIONS = {aten.norm.Scalar: norm}
