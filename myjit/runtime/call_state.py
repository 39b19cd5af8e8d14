"""What one call of a partition at a time may use, and how tensors cross into compiled code and back."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import torch

from myjit.artifact import Artifact, Signature, TensorSpec
from myjit.errors import LoadError
from myjit.mlir.parameters import ADDRESSES
from myjit.runtime import process
from myjit.runtime.accelerator import copied_out, ordered
from myjit.runtime.device import Device
from myjit.runtime.entry import HOST
from myjit.runtime.interop import (
    ALIGNMENT,
    aligned,
    element_types,
    from_dlpack,
    inverse,
    to_dlpack,
    torch_dtype,
)
from myjit.runtime.launch_entry import LaunchState
from myjit.runtime.mirrors import Mirrors
from myjit.targets.base import Memory

Weights = Sequence[torch.Tensor]
#: A static input (a weak reference, called), its address, and its import.
Kept = tuple[Callable[[], Any], int, Any]


def _no_tensor() -> None:
    return None


_NOTHING: Kept = (_no_tensor, 0, None)


class CallState:
    """What one call at a time may use: a VM context, and the imports kept between its calls."""

    def __init__(
        self,
        artifact: Artifact,
        device: Device,
        place: torch.device,
        weights: Weights,
        memory: Memory = "torch",
    ) -> None:
        self.signature: Signature = artifact.signature
        self.device = device
        self.place = place
        self.calls = 0
        self.bytes_copied = 0
        self.mirrors: Mirrors | None = None
        vmfb, parameters = artifact.vmfb, dict(artifact.parameters)
        self.held = [_held(weight) for weight in weights]
        self._memory: list[torch.Tensor] = []
        for index, weight in zip(self.signature.held, weights, strict=True):
            spec = self.signature.inputs[index]
            assert isinstance(spec, TensorSpec)
            tensor = _in_place(weight.detach(), spec)
            self._memory.append(tensor)
            parameters[str(index)] = (ctypes.c_char * tensor.nbytes).from_address(tensor.data_ptr())
        if place == HOST and memory == "torch":
            parameters[ADDRESSES] = process.table()
            vmfb = process.joined(vmfb)
        self._parameters = parameters  # which outlive the context
        context, self.function = device.load(vmfb, parameters)
        invoke = device.invoker(context)
        if memory != "torch":
            self.mirrors = Mirrors(device.handle, unified=memory == "unified")
            self.invoke = self.mirrors.around(invoke)
            if self.signature.guarded:
                self.guard_memory, self.guard = self.mirrors.flags(ALIGNMENT)
            return
        self.invoke = invoke if place == HOST else ordered(invoke, place)
        self.import_tensor = device.handle.from_dlpack_capsule
        self.import_memory = device.import_memory
        self.memory_type = device.memory_type
        self.usage = device.usage
        if self.signature.guarded:
            self._guard_tensor = torch.zeros(ALIGNMENT, dtype=torch.uint8, device="cpu")
            self.guard = (ctypes.c_ubyte * ALIGNMENT).from_address(self._guard_tensor.data_ptr())
            self.guard_memory = device.import_memory(self.guard, device.memory_type, device.usage)
        self.kept = [_NOTHING] * len(self.signature.inputs)
        #: Whether a result lies in the memory of the input that it is written into, by its number.
        self.stays: dict[int, bool] = {}
        #: What IREE knows of memory, by address: of each input, and of each output.
        self.views = [device.addresses.of(_kind(spec)) for spec in self.signature.inputs]
        self.rooms = [device.addresses.of(_bytes(spec)) for spec in self.signature.outputs]

    def at(self, tensor: torch.Tensor) -> Any:
        """Import the memory of a tensor of the host, without holding it."""
        memory = (ctypes.c_char * tensor.nbytes).from_address(tensor.data_ptr())
        return self.import_memory(memory, self.memory_type, self.usage)


def _held(weight: torch.Tensor) -> tuple[torch.Tensor, int, int]:
    """Return what tells whether a weight is still what it was."""
    if weight.is_inference():
        raise LoadError("freeze=True cannot watch weights that were made in inference mode")
    return weight, weight.data_ptr(), weight._version


def _in_place(tensor: torch.Tensor, spec: TensorSpec) -> torch.Tensor:
    """Return a tensor in memory order, copied where IREE cannot use it where it is."""
    ordered = tensor.permute(spec.order) if spec.is_permuted else tensor
    is_usable = (ordered.data_ptr() or 1) % ALIGNMENT == 0 and ordered.is_contiguous()
    return ordered if is_usable else aligned(ordered)


def copied(state: CallState | LaunchState, tensor: torch.Tensor) -> torch.Tensor:
    state.bytes_copied += tensor.nbytes
    return aligned(tensor)


def view(state: CallState, index: int, given: torch.Tensor, usable: torch.Tensor) -> Any:
    """Import an input, and keep where it lies for what comes to lie there.

    What is kept says where numbers are, how many and of what kind: it does not hold their memory. Calls look
    it up for tensors of these sizes and strides only; a copy lies somewhere else each time, and is held.
    """
    import iree.runtime as rt

    spec = state.signature.inputs[index]
    assert isinstance(spec, TensorSpec)
    if given.data_ptr() != usable.data_ptr() or given.shape != spec.shape:
        return state.import_tensor(to_dlpack(usable))
    known = rt.HalBufferView(state.at(usable), tuple(usable.shape), element_types()[usable.dtype])
    return state.views[index].remember(usable.data_ptr(), known)


def room(state: CallState, index: int, tensor: torch.Tensor) -> Any:
    """Import an output's memory, and keep where it lies likewise."""
    return state.rooms[index].remember(tensor.data_ptr(), state.at(tensor))


def _kind(spec: TensorSpec | str) -> Hashable:
    """Tell what a view of an input says but where it lies: sizes in the order of memory, and the type."""
    return spec if isinstance(spec, str) else (spec.dtype, *(spec.shape[dim] for dim in spec.order))


def _bytes(spec: TensorSpec) -> Hashable:
    """Tell how many bytes an output takes; where calls decide that, no room is looked up."""
    if not spec.is_static:
        return None
    return math.prod(int(size) for size in spec.shape) * torch_dtype(spec.dtype).itemsize


def keep(state: CallState, index: int, tensor: torch.Tensor) -> Kept:
    """Import a static input, and keep the import unless it had to be copied: copies go stale.

    The import holds the tensor's memory, so it is dropped when the tensor goes.
    """
    spec = state.signature.inputs[index]
    assert isinstance(spec, TensorSpec)
    usable = _in_place(tensor, spec)
    # Detached: an import of the tensor itself would keep it, so that it never went.
    imported = state.import_tensor(to_dlpack(usable.detach()))
    if usable.data_ptr() != tensor.data_ptr():
        state.bytes_copied += tensor.nbytes
        return (_no_tensor, 0, imported)
    owner = weakref.ref(state)

    def forget(_: Any) -> None:
        alive = owner()
        if alive is not None:
            alive.kept[index] = _NOTHING

    state.kept[index] = (weakref.ref(tensor, forget), tensor.data_ptr(), imported)
    return state.kept[index]


def export(state: CallState, results: Any, index: int) -> torch.Tensor:
    """Take over memory that the compiled code allocated."""
    import iree.runtime as rt

    spec = state.signature.outputs[index]
    view = results.get_as_object(index, rt.HalBufferView)
    if state.mirrors is not None:
        tensor = state.mirrors.taken_over(view, torch_dtype(spec.dtype))
    elif state.place == HOST:
        tensor = from_dlpack(state.device.handle.create_dlpack_capsule(view, 1, 0))
        dtype = torch_dtype(spec.dtype)
        if tensor.dtype != dtype:  # IREE's integers carry no sign
            tensor = tensor.view(dtype)
    else:
        tensor = copied_out(view, spec.dtype, state.place, state.device)
    return tensor.permute(inverse(spec.order)) if spec.is_permuted else tensor


def written(
    state: CallState, results: Any, index: int, given: torch.Tensor, used: torch.Tensor
) -> torch.Tensor:
    """Return an input with its new elements in it; `used` is where the compiled code found the old ones.

    IREE decides whether it writes into an input, once and for all calls: the first one looks.
    """
    stays = state.stays.get(index)
    if stays is None:
        stays = export(state, results, index).data_ptr() == used.data_ptr()
        state.stays[index] = stays
    if not stays or used is not given:
        given.detach().copy_(used if stays else export(state, results, index))
    return given
