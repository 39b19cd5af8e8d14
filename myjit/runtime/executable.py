"""A loaded partition: torch tensors in, torch tensors out, nothing copied on the way."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from myjit.artifact import Artifact, TensorSpec
from myjit.errors import InvokeError
from myjit.runtime.device import DEVICES, Device
from myjit.runtime.interop import (
    ALIGNMENT,
    aligned,
    from_dlpack,
    inverse,
    shape_function,
    to_dlpack,
    torch_dtype,
)

Boxed = Callable[[list[Any]], list[Any]]


class Executable:
    """The one stateful class: an artifact on a device. Handles are made on the first call.

    VM contexts are not safe for concurrent calls, so each thread has its own; all share the device
    and the bytes. `static_inputs` are the inputs that are usually the same tensors at each call
    (parameters): their imports are kept and checked by identity and address, never by content.
    """

    def __init__(
        self,
        artifact: Artifact,
        driver: str,
        *,
        static_inputs: Sequence[int] = (),
        name: str = "main",
    ) -> None:
        self.artifact = artifact
        self.driver = driver
        self.name = name
        self.static_inputs = frozenset(static_inputs)
        self._threads = threading.local()
        self._states: weakref.WeakSet[_ThreadState] = weakref.WeakSet()
        self._finished = [0, 0]

    def __call__(self, args: list[Any]) -> list[torch.Tensor]:
        """Call with the inputs in signature order; `args` is emptied, so that they can be freed.

        Raises:
            LoadError: the artifact does not load.
            InvokeError: the compiled code failed (an assertion in the program, or no memory).
        """
        state: _ThreadState | None = getattr(self._threads, "state", None)
        if state is None or state.device is not DEVICES.get(self.driver):
            state = self._load()
        try:
            return state.call(args)
        except (RuntimeError, ValueError) as error:
            DEVICES.drop(state.device)
            raise InvokeError(f"partition {self.name} failed at run time: {error}") from error

    @property
    def calls(self) -> int:
        """How often it was called, by all threads."""
        return self._finished[0] + sum(s.calls for s in self._states)

    @property
    def bytes_copied(self) -> int:
        """Bytes of inputs that had to be copied because IREE cannot import them where they are."""
        return self._finished[1] + sum(s.bytes_copied for s in self._states)

    def _load(self) -> _ThreadState:
        old: _ThreadState | None = getattr(self._threads, "state", None)
        if old is not None:
            self._finished[0] += old.calls
            self._finished[1] += old.bytes_copied
            self._states.discard(old)
        state = _ThreadState(self.artifact, DEVICES.get(self.driver), self.static_inputs)
        self._threads.state = state
        self._states.add(state)
        return state


class _ThreadState:
    """One thread's VM context and kept imports."""

    def __init__(self, artifact: Artifact, device: Device, static_inputs: frozenset[int]) -> None:
        import iree.runtime as rt

        signature = artifact.signature
        self.device = device
        self.calls = 0
        self.bytes_copied = 0
        self._context, self._function = device.load(artifact.vmfb)
        self._list = rt.VmVariantList
        self._view = rt.HalBufferView
        self._signature = signature
        self._kinds = [
            (i, _TENSOR if isinstance(s, TensorSpec) else s, _order(s), i in static_inputs)
            for i, s in enumerate(signature.inputs)
        ]
        self._kept: dict[int, tuple[torch.Tensor, int, Any]] = {}
        bound = [signature.outputs[i] for i in signature.bound]
        self._allocations = [(torch_dtype(s.dtype), _inverse_order(s)) for s in bound]
        self._free = [i for i in range(len(signature.outputs)) if i not in signature.bound]
        self._sizes = shape_function(signature)
        self._static_sizes = None if signature.symbols else self._sizes()
        self._arity = len(signature.inputs) + len(bound)

    def call(self, args: list[Any]) -> list[torch.Tensor]:
        """Import the inputs, allocate the outputs, invoke."""
        self.calls += 1
        arguments = self._list(self._arity)
        push = arguments.push_ref
        for index, kind, order, static in self._kinds:
            value = args[index]
            if kind is _TENSOR:
                push(self._import_static(index, value, order) if static else self._import(value, order))
            elif kind == "float":
                arguments.push_float(value)
            else:
                arguments.push_int(int(value))
        sizes = self._static_sizes or self._sizes(*self._symbol_values(args))
        args.clear()
        outputs = []
        writable = self.device.writable
        for size, (dtype, order) in zip(sizes, self._allocations, strict=True):
            out = torch.empty(size, dtype=dtype, device="cpu")
            push(writable(out.data_ptr(), out.nbytes))
            outputs.append(out if order is None else out.permute(order))
        results = self._list(len(self._signature.outputs))
        self._context.invoke(self._function, arguments, results)
        for index in self._free:
            outputs.insert(index, self._export(results, index))
        return outputs

    def _import(self, tensor: torch.Tensor, order: tuple[int, ...] | None) -> Any:
        if order is not None:
            tensor = tensor.permute(order)
        if tensor.data_ptr() % ALIGNMENT or not tensor.is_contiguous():
            tensor = aligned(tensor)
            self.bytes_copied += tensor.nbytes
        return self.device.handle.from_dlpack_capsule(to_dlpack(tensor))

    def _import_static(self, index: int, tensor: torch.Tensor, order: tuple[int, ...] | None) -> Any:
        kept = self._kept.get(index)
        address = tensor.data_ptr()
        if kept is not None and kept[0] is tensor and kept[1] == address:
            return kept[2]
        copied = self.bytes_copied
        view = self._import(tensor, order)
        if self.bytes_copied == copied:  # a copy must be made again at each call
            self._kept[index] = (tensor, address, view)
        return view

    def _symbol_values(self, args: list[Any]) -> list[int]:
        return [
            args[index] if dim < 0 else args[index].shape[dim] for _, index, dim in self._signature.symbols
        ]

    def _export(self, results: Any, index: int) -> torch.Tensor:
        """Take over memory that the compiled code allocated."""
        spec = self._signature.outputs[index]
        view = results.get_as_object(index, self._view)
        tensor = from_dlpack(self.device.handle.create_dlpack_capsule(view, 1, 0))
        dtype = torch_dtype(spec.dtype)
        if tensor.dtype != dtype:  # IREE's integers carry no sign
            tensor = tensor.view(dtype)
        order = _inverse_order(spec)
        return tensor if order is None else tensor.permute(order)


_TENSOR = "tensor"


def _order(spec: TensorSpec | str) -> tuple[int, ...] | None:
    return spec.order if isinstance(spec, TensorSpec) and spec.is_permuted else None


def _inverse_order(spec: TensorSpec) -> tuple[int, ...] | None:
    return inverse(spec.order) if spec.is_permuted else None
