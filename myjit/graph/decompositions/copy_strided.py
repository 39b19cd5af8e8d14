"""Copies in another order of memory, as a permutation of one in the order that compiled code has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from myjit.graph._order import copy_in_order

#: torch 2.11 has none, 2.13 has it.
_OP = getattr(torch.ops.prims, "copy_strided", None)


def copy_strided(x: Tensor, stride: Sequence[int]) -> Any:
    """Return a copy of `x` with the strides `stride`, where they are those of whole numbers without gaps."""
    if not all(isinstance(each, int) for each in (*stride, *x.shape)):
        return NotImplemented
    order = sorted(range(x.dim()), key=lambda dim: -stride[dim])
    found = copy_in_order(x, order)
    return found if found.stride() == tuple(stride) else NotImplemented


DECOMPOSITIONS = {} if _OP is None else {_OP.default: copy_strided}
