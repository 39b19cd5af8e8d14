"""Tensors on a device whose memory torch does not know: a mirror there for each argument and result.

Every input is copied at every call, parameters too: nothing tells whether the user wrote into one
(`parameter.data.mul_(2)` changes neither its address nor its version), and an old weight is a wrong result.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from myjit.runtime.interop import element_types

#: Bytes up to which kernels of a device with memory of its own read and write the host's: on an H200 that
#: took as long as copies, or down to half of it, at every size up to here (benchmarks/NOTES.md, "Vulkan").
SMALL = 1 << 26


class Mirrors:
    """The mirrors of one call at a time. They are kept between calls, and grow but do not shrink.

    `unified` says that the device's memory is the host's: then kernels use the very memory that the host
    copies to and from. Otherwise all but small mirrors have a second half, in the device's memory.
    """

    def __init__(self, handle: Any, *, unified: bool) -> None:
        self._handle = handle
        self._unified = unified
        self._types = element_types()
        self._mirrors: dict[int, _Mirror] = {}
        self._transfers: list[tuple[Any, Any]] = []

    def send(self, key: int, tensor: torch.Tensor) -> Any:
        """Copy an input; return IREE's view of it, good once `settle` has been called."""
        mirror = self._room(key, tensor)
        mirror.tensor.copy_(tensor.detach())
        if mirror.is_split and tensor.numel():
            self._transfers.append((mirror.host, mirror.buffer))
        return mirror.view

    def room(self, key: int, tensor: torch.Tensor) -> Any:
        """Return a buffer that kernels write a result to."""
        return self._room(key, tensor).buffer

    def around(self, invoke: Callable[..., None]) -> Callable[..., None]:
        """Return `invoke` such that it begins when the inputs have arrived."""

        def invoke_when_settled(function: Any, arguments: Any, results: Any) -> None:
            self.settle()
            invoke(function, arguments, results)

        return invoke if self._unified else invoke_when_settled

    def flags(self, size: int) -> tuple[Any, ctypes.Array[ctypes.c_ubyte]]:
        """Return a buffer of a few bytes that kernels write, and the host's sight of them."""
        mirror = self._mirrors[-1] = _Mirror(self._handle, size, split=False)
        mirror.tensor.zero_()
        return mirror.buffer, (ctypes.c_ubyte * size).from_address(mirror.tensor.data_ptr())

    def fetch(self, results: Sequence[tuple[int, torch.Tensor]]) -> None:
        """Copy results back."""
        for key, tensor in results:
            mirror = self._mirrors[key]
            if mirror.is_split and tensor.numel():
                self._transfers.append((mirror.buffer, mirror.host))
        self.settle()
        for key, tensor in results:
            tensor.copy_(self._mirrors[key].tensor)

    def taken_over(self, view: Any, dtype: torch.dtype) -> torch.Tensor:
        """Copy what the compiled code allocated into memory of torch's."""
        tensor = torch.empty(tuple(view.shape), dtype=dtype, device="cpu")
        if tensor.numel():
            mirror = _Mirror(self._handle, tensor.nbytes, split=False)
            _transfer(self._handle, [(view.get_buffer(), mirror.host)])
            tensor.copy_(mirror.shaped(tensor))
        return tensor

    def settle(self) -> None:
        """Carry out the transfers between the host's memory and the device's, and wait for them."""
        if self._transfers:
            _transfer(self._handle, self._transfers)
            self._transfers.clear()

    def _room(self, key: int, tensor: torch.Tensor) -> _Mirror:
        mirror = self._mirrors.get(key)
        if mirror is None or mirror.capacity < tensor.nbytes:
            self._mirrors.pop(key, None)
            split = not self._unified and tensor.nbytes > SMALL
            mirror = self._mirrors[key] = _Mirror(self._handle, tensor.nbytes, split=split)
        if mirror.view is None or mirror.tensor.shape != tensor.shape:
            mirror.stand_for(tensor, self._types[tensor.dtype])
        return mirror


class _Mirror:
    """A buffer that kernels use, and a tensor that the host sees: of the same memory, or split."""

    def __init__(self, handle: Any, size: int, *, split: bool) -> None:
        import iree.runtime as rt

        types, usages = rt.MemoryType, rt.BufferUsage
        allocate = handle.allocator.allocate_buffer
        self.is_split = split
        self.capacity = max(size, 64)
        kind = int(types.HOST_LOCAL) | int(types.DEVICE_VISIBLE)
        self.host = allocate(kind, int(usages.DEFAULT | usages.MAPPING), self.capacity)
        self.buffer = self.host
        if split:
            self.buffer = allocate(int(types.DEVICE_LOCAL), int(usages.DEFAULT), self.capacity)
        self._mapped = self.host.map()
        with torch.inference_mode(mode=False):  # it is written to outside of that mode too
            self._bytes = torch.from_numpy(self._mapped.asarray((self.capacity,), np.dtype("uint8")))
        self.tensor = self._bytes
        self.view: Any = None

    def shaped(self, like: torch.Tensor) -> torch.Tensor:
        """Return the host's memory as a tensor of another's sizes and type."""
        return self._bytes[: like.nbytes].view(like.dtype).view(like.shape)

    def stand_for(self, like: torch.Tensor, element_type: int) -> None:
        """Let the mirror stand for tensors of these sizes and this type."""
        import iree.runtime as rt

        self.tensor = self.shaped(like)
        self.view = rt.HalBufferView(self.buffer, tuple(like.shape), element_type)


def _transfer(handle: Any, transfers: Sequence[tuple[Any, Any]]) -> None:
    """Copy between buffers of the device, each from the first to the second, and wait."""
    import iree.runtime as rt

    semaphore = handle.create_semaphore(0)
    for number, (source, target) in enumerate(transfers):
        before = rt.HalFence.create_at(semaphore, number)
        handle.queue_copy(source, target, before, rt.HalFence.create_at(semaphore, number + 1))
    semaphore.wait(len(transfers))
