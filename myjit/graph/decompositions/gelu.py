"""GELU by tanh, whose constant torch-mlir has off in the fourth digit, and of half types, wide.

torch-mlir computes the form by erf in the half type itself: 0.7 % off where torch is exact to its type.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def gelu(x: Tensor, approximate: str = "none") -> Any:
    """Return GELU (Hendrycks and Gimpel, 2016); the form by erf of float32 stays whole."""
    half = x.dtype in (torch.float16, torch.bfloat16)
    wide = x.float() if half else x
    if approximate != "tanh":
        return (0.5 * wide * (1 + (wide * math.sqrt(0.5)).erf())).to(x.dtype) if half else NotImplemented
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide * wide * wide)
    return (0.5 * wide * (1 + inner.tanh())).to(x.dtype)


DECOMPOSITIONS = {aten.gelu.default: gelu}
