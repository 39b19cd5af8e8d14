"""GELU by tanh: torch-mlir's lowering has a constant that is off in the fourth digit."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def gelu(x: Tensor, approximate: str = "none") -> Any:
    """Return the tanh form of GELU (Hendrycks and Gimpel, 2016); the form by erf stays whole."""
    if approximate != "tanh":
        return NotImplemented
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide * wide * wide)
    return (0.5 * wide * (1 + inner.tanh())).to(x.dtype)


DECOMPOSITIONS = {aten.gelu.default: gelu}
