"""Tensors across the border between torch and IREE, without copies wherever memory allows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
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


@cache
def element_types() -> dict[torch.dtype, int]:
    """Map torch's data types to IREE's numbers."""
    from iree.runtime import HalElementType

    names: dict[torch.dtype, Any] = {
        torch.float16: HalElementType.FLOAT_16,
        torch.float32: HalElementType.FLOAT_32,
        torch.float64: HalElementType.FLOAT_64,
        torch.bfloat16: HalElementType.BFLOAT_16,
        torch.int8: HalElementType.SINT_8,
        torch.int16: HalElementType.SINT_16,
        torch.int32: HalElementType.SINT_32,
        torch.int64: HalElementType.SINT_64,
        torch.uint8: HalElementType.UINT_8,
        torch.bool: HalElementType.BOOL_8,
    }
    return {dtype: int(kind) for dtype, kind in names.items()}


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
