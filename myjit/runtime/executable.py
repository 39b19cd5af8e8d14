"""A loaded partition: torch tensors in, torch tensors out, nothing copied on the way."""

from __future__ import annotations

import ctypes
import math
import os
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import torch

from myjit.artifact import Artifact, Signature, TensorSpec
from myjit.errors import InvokeError, LoadError, MissingMemoryError, MyjitError
from myjit.launches import Launches, is_launches, read
from myjit.mlir.parameters import ADDRESSES
from myjit.runtime import process
from myjit.runtime.accelerator import copied_out, keeping_current, ordered
from myjit.runtime.device import DEVICES, WITHOUT_THREADS, Device, leak
from myjit.runtime.entry import HOST, generate_entry
from myjit.runtime.heap import keep_freed_memory
from myjit.runtime.interop import (
    ALIGNMENT,
    aligned,
    element_types,
    from_dlpack,
    inverse,
    to_dlpack,
    torch_dtype,
)
from myjit.runtime.launch_entry import Enqueue, LaunchState, generate_launch_entry
from myjit.runtime.mirrors import Mirrors
from myjit.targets.base import Memory

Boxed = Callable[[list[Any]], Sequence[Any]]
Weights = Sequence[torch.Tensor]
#: A static input (a weak reference, called), its address, and its import.
Kept = tuple[Callable[[], Any], int, Any]


def _no_tensor() -> None:
    return None


_NOTHING: Kept = (_no_tensor, 0, None)


class Executable:
    """The one stateful class: an artifact on a device. Handles are made on the first call.

    `call` takes the inputs in signature order, as a list that it empties, and returns the outputs.
    VM contexts are not safe for concurrent calls, so each call takes one out of a pool, which grows
    to as many as ran at once; all share the device and the bytes.

    Imports of host memory are kept by address. `static_inputs` are the inputs that are usually the same
    tensors at each call (parameters): where they are in a device's memory, their imports are kept and checked
    by identity and address, never by content. `on_failure` gets the inputs and the error of a call that
    failed, and answers in its place; without it the error is raised: InvokeError (the compiled code failed:
    an assertion in the program, or no memory) or LoadError (the artifact does not load). Once `on_failure`
    has answered, it answers every later call, unless the call is at fault (MissingMemoryError).
    `place` is the torch device whose tensors it takes and gives; `memory` says whose memory the compiled
    code works in: torch's own, or the device's, `unified` with the host's or `separate` from it. `enqueuer`
    makes, of an artifact that is launches, what sends them to the device.
    """

    def __init__(
        self,
        artifact: Artifact,
        driver: str,
        *,
        place: torch.device = HOST,
        memory: Memory = "torch",
        static_inputs: Sequence[int] = (),
        name: str = "main",
        on_failure: Callable[[list[Any], MyjitError], Sequence[Any]] | None = None,
        enqueuer: Callable[[Launches], Enqueue] | None = None,
    ) -> None:
        self.artifact = artifact
        self.driver = driver
        self.place = place
        self.memory: Memory = memory
        self.name = name
        self._on_failure = on_failure
        self._retired_for: MyjitError | None = None
        self._idle: deque[_CallState | LaunchState] = deque()
        self.tally = Tally()
        services = {
            "take": self._idle.pop,
            "give_back": self._idle.append,
            "load": self._load,
            "reload": self._reload,
            "fail": self._fail,
            "lose": self._lose,
            "refuse": self._refuse,
            "copied": _copied,
            "view": _view,
            "room": _room,
            "keep": _keep,
            "export": _export,
        }
        self.call: Boxed
        if is_launches(artifact.vmfb):
            assert enqueuer is not None
            launches = read(artifact.vmfb)
            self._make: Callable[[Weights], _CallState | LaunchState] = lambda _: LaunchState(
                enqueuer(launches), place
            )
            self.call = generate_launch_entry(artifact.signature, launches, services, place)
        else:
            import iree.runtime as rt

            services["variant_list"] = rt.VmVariantList
            self._make = self._on_iree
            self.call = generate_entry(
                artifact.signature, frozenset(static_inputs), services, place, mirrored=memory != "torch"
            )
        _executables.add(self)

    @property
    def calls(self) -> int:
        """How often it was called with success."""
        return self.tally.totals()[0]

    @property
    def bytes_copied(self) -> int:
        """Bytes of inputs that had to be copied because IREE cannot import them where they are."""
        return self.tally.totals()[1]

    def unload(self) -> None:
        """Free the handles; the next call loads again."""
        while self._idle:
            self.tally.retire(self._idle.pop())

    def leave(self) -> None:
        """Forget, in a forked process, the handles that need threads which only its parent has."""
        if self.driver != WITHOUT_THREADS:
            while self._idle:
                leak(self._idle.pop())

    def _load(self, weights: Weights = ()) -> _CallState | LaunchState:
        if self._retired_for is not None:
            raise self._retired_for
        state = self._make(weights)
        self.tally.add(state)
        return state

    def _reload(self, state: _CallState, weights: Weights) -> _CallState | LaunchState:
        """Replace a state whose weights are no longer these, or no longer the same."""
        self.tally.retire(state)
        return self._load(weights)

    def _on_iree(self, weights: Weights) -> _CallState:
        if self.place == HOST:
            keep_freed_memory()
            return _CallState(self.artifact, DEVICES.get(self.driver), HOST, weights, self.memory)
        with keeping_current(self.place):
            return _CallState(self.artifact, DEVICES.get(self.driver), self.place, weights)

    def _fail(
        self, args: list[Any], state: _CallState | LaunchState | None, error: Exception
    ) -> Sequence[Any]:
        if state is not None:
            self.tally.retire(state)
        if isinstance(state, _CallState) and not isinstance(error, MissingMemoryError):
            DEVICES.drop(state.device)
            for executable in list(_executables):
                if executable.driver == self.driver:
                    executable.unload()
        if not isinstance(error, MyjitError):
            cause = error
            error = InvokeError(f"partition {self.name} failed at run time: {cause}")
            error.__cause__ = cause
        if self._on_failure is None:
            raise error
        results = self._on_failure(args, error)
        if not isinstance(error, MissingMemoryError):
            self._retired_for = error
        return results

    def _lose(self, state: _CallState | LaunchState | None) -> None:
        """Let a state go whose call was interrupted, with Ctrl-C say."""
        if state is not None:
            self.tally.retire(state)

    def _refuse(self, args: list[Any]) -> Sequence[Any]:
        """Answer a call that the part's own check refuses: the arguments are at fault, not the code."""
        reasons = "an index is out of range, a divisor zero, or a loop too long for the device"
        error = InvokeError(f"partition {self.name}: {reasons}")
        if self._on_failure is None:
            raise error
        return self._on_failure(args, error)


_executables: weakref.WeakSet[Executable] = weakref.WeakSet()


def unload_all() -> None:
    """Free every handle of this process, so that IREE's bindings see none left at exit."""
    for executable in list(_executables):
        executable.unload()
    DEVICES.clear()


def _leave_all() -> None:
    for executable in list(_executables):
        executable.leave()
    DEVICES.leave()


os.register_at_fork(after_in_child=_leave_all)


class Tally:
    """How often an executable was called, and what it copied: each state counts for itself."""

    def __init__(self) -> None:
        self._states: set[_CallState | LaunchState] = set()
        self._finished = [0, 0]

    def add(self, state: _CallState | LaunchState) -> None:
        """Count a state's calls as well."""
        self._states.add(state)

    def retire(self, state: _CallState | LaunchState) -> None:
        """Keep what a state has counted, and let it go."""
        self._states.discard(state)
        self._finished[0] += state.calls
        self._finished[1] += state.bytes_copied

    def totals(self) -> tuple[int, int]:
        """Return the calls with success, and the bytes copied."""
        states, (calls, copied) = list(self._states), self._finished
        return calls + sum(s.calls for s in states), copied + sum(s.bytes_copied for s in states)


class _CallState:
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


def _copied(state: _CallState | LaunchState, tensor: torch.Tensor) -> torch.Tensor:
    state.bytes_copied += tensor.nbytes
    return aligned(tensor)


def _view(state: _CallState, index: int, given: torch.Tensor, usable: torch.Tensor) -> Any:
    """Import an input, and keep where it lies for what comes to lie there.

    What is kept says where numbers are, how many and of what kind: it does not hold their memory. Calls look
    it up for tensors of these sizes and strides only; a copy lies somewhere else each time, and is held.
    """
    import iree.runtime as rt

    spec = state.signature.inputs[index]
    assert isinstance(spec, TensorSpec)
    if given.data_ptr() != usable.data_ptr() or given.shape != spec.shape:
        return state.import_tensor(to_dlpack(usable))
    view = rt.HalBufferView(state.at(usable), tuple(usable.shape), element_types()[usable.dtype])
    return state.views[index].remember(usable.data_ptr(), view)


def _room(state: _CallState, index: int, tensor: torch.Tensor) -> Any:
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


def _keep(state: _CallState, index: int, tensor: torch.Tensor) -> Kept:
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


def _export(state: _CallState, results: Any, index: int) -> torch.Tensor:
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
