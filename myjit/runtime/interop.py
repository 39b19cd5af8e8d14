"""Tensors across the border between torch and IREE, without copies wherever memory allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from myjit.errors import MissingMemoryError

#: IREE imports host memory only at this alignment, in bytes.
ALIGNMENT = 64

to_dlpack: Callable[[torch.Tensor], Any] = torch._C._to_dlpack
from_dlpack: Callable[[Any], torch.Tensor] = torch._C._from_dlpack


def torch_dtype(name: str) -> torch.dtype:
    """Return the torch dtype called `name`, such as `float32`."""
    return getattr(torch, name)


def aligned(tensor: torch.Tensor) -> torch.Tensor:
    """Return a contiguous copy of `tensor` in memory that IREE can import.

    Raises:
        MissingMemoryError: there is nothing to copy, or no memory behind what torch returns.
    """
    if tensor.numel() and not tensor.data_ptr():
        raise MissingMemoryError(f"an input of sizes {tuple(tensor.shape)} has no memory")
    copy = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device).copy_(tensor)
    if copy.numel() and not copy.data_ptr():
        raise MissingMemoryError("torch makes tensors without memory at the moment (FakeTensorMode)")
    return copy


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """Return the permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))
