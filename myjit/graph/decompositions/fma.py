"""Multiply-add, which torch's optimizers decompose to: its lowering is left to the compiler's fusion."""

from __future__ import annotations

import torch
import torch._inductor.inductor_prims  # registers the op
from torch import Tensor


def fma(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Return `a * b + c`."""
    return a * b + c


DECOMPOSITIONS = {torch.ops.prims.fma.default: fma}
