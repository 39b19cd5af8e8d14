"""Calls on a device with memory of its own: in order with torch's work on it, its memory torch's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from myjit.runtime.device import Device
from myjit.runtime.interop import to_dlpack, torch_dtype


def allocator(place: torch.device) -> Callable[[Sequence[int], Sequence[int], torch.dtype], torch.Tensor]:
    """Return a function that allocates on `place`, given sizes, strides and data type."""

    def empty(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        return torch.empty_strided(sizes, strides, dtype=dtype, device=place)

    return empty


def ordered(invoke: Callable[..., None], place: torch.device) -> Callable[..., None]:
    """Return `invoke` such that it begins when torch's current stream has done what was asked of it.

    IREE's CUDA driver can neither run on torch's stream nor wait for an event of it (IREE 3.13), so the
    host waits; and the invocation itself returns when its results are there.
    """
    module = torch.get_device_module(place)

    def invoke_after_torch(function: Any, arguments: Any, results: Any) -> None:
        module.current_stream(place).synchronize()
        current = module.current_device()
        try:
            invoke(function, arguments, results)
        finally:
            module.set_device(current)

    return invoke_after_torch


@contextmanager
def keeping_current(place: torch.device) -> Iterator[None]:
    """Restore torch's current device at the end: IREE's driver leaves its own device current."""
    module = torch.get_device_module(place)
    current = module.current_device()
    try:
        yield
    finally:
        module.set_device(current)


def copied_out(view: Any, dtype: str, place: torch.device, device: Device) -> torch.Tensor:
    """Copy what the compiled code allocated into memory of torch's: IREE cannot hand its own over."""
    import iree.runtime as rt

    tensor = torch.empty(tuple(view.shape), dtype=torch_dtype(dtype), device=place)
    if not tensor.numel():
        return tensor
    with keeping_current(place):
        torch.get_device_module(place).current_stream(place).synchronize()  # it may still use this memory
        target = device.handle.from_dlpack_capsule(to_dlpack(tensor)).get_buffer()
        semaphore = device.handle.create_semaphore(0)
        done = rt.HalFence.create_at(semaphore, 1)
        device.handle.queue_copy(view.get_buffer(), target, rt.HalFence(0), done)
        done.wait()
    return tensor
