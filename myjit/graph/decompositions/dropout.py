"""Dropout as a mask drawn by torch and a compiled multiplication.

The whole op would run in torch, as everything random does. Drawn from a tensor of the right size that
depends on nothing, the masks of a program can all be made before its first compiled part; they are the
very numbers that eager draws.
"""

from __future__ import annotations

import torch
from torch import Tensor

aten = torch.ops.aten


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:  # noqa: FBT001
    """Return the scaled input and its mask of kept elements."""
    if train is False or p == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(input), torch.zeros_like(input, dtype=torch.bool)
    mask = aten.bernoulli.p(torch.empty(input.shape, dtype=torch.bool, device=input.device), 1 - p)
    return input * mask * (1 / (1 - p)), mask


DECOMPOSITIONS = {aten.native_dropout.default: native_dropout}
