"""Tensors without content, in another order of memory: compiled code has one order only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def new_empty_strided(x: Tensor, size: Sequence[int], stride: Sequence[int], **options: Any) -> Tensor:
    """Return a tensor like `x` of another size."""
    return x.new_empty(size, **options)


DECOMPOSITIONS = {aten.new_empty_strided.default: new_empty_strided}
