"""Run a saved artifact on numpy arrays, with numpy and iree.runtime alone: no torch, no compiler.

    from myjit.runtime.standalone import load
    model = load("model.myjit")
    result = model(numpy_array)

numpy has no bfloat16: such tensors go in and come out as their bits, in uint16.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from myjit.artifact import TensorSpec
from myjit.errors import ArtifactError, InvokeError
from myjit.runtime.device import DEVICES
from myjit.runtime.saved import Saved
from myjit.safetensors import Weight

#: What numpy calls torch's types where the names differ.
_NUMPY = {"bfloat16": "uint16"}


def load(path: str | Path, *, target: str | None = None, driver: str | None = None) -> Program:
    """Open an artifact; return it as a callable on numpy arrays.

    `target` chooses the variant by name, `driver` IREE's driver (`local-sync`: the calling thread;
    `local-task`: all cores).

    Raises:
        ArtifactError: the file is damaged, of another version, or not for this machine.
        LoadError: IREE refuses the compiled module.
    """
    return Program(Saved(path, target), driver)


class Program:
    """A loaded artifact. Calls take what the model took, as arrays; several threads take turns."""

    def __init__(self, saved: Saved, driver: str | None = None) -> None:
        self._saved = saved
        self._lock = threading.Lock()
        self._device = DEVICES.get(driver or saved.variant["driver"])
        self._held = saved.held(_array)
        context, self._function = self._device.load(saved.vmfb, saved.parameters())
        self._call = self._device.invoker(context)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Describe the tensors among the arguments, in order."""
        tensors = [leaf["tensor"] for leaf in self._saved.leaves if "tensor" in leaf]
        return tuple(f"{t['dtype']}[{', '.join(map(str, t['shape']))}]" for t in tensors)

    def description(self) -> list[str]:
        """Return lines for people: what it takes, and which variants it has."""
        manifest = self._saved.file.manifest
        chosen = self._saved.variant["target"]
        variants = [
            v["target"] + (" (chosen)" if v["target"] == chosen else "") for v in manifest["variants"]
        ]
        made = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
        return [
            *(f"input {text}" for text in self.inputs),
            f"variants: {', '.join(variants)}",
            f"made with {made}",
        ]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Raises:
            ArtifactError: the arguments are not those that the artifact was made for.
            InvokeError: the compiled code failed, or an index was out of range.
        """
        with self._lock:
            return self._saved.run(args, kwargs, self._held, self._invoke)

    def call_flat(self, arrays: Sequence[Any]) -> Any:
        """Run the program on its tensors in order; other arguments are those of the export."""
        tensors = iter(arrays)
        missing = ArtifactError(f"the artifact takes {len(self.inputs)} tensors: {', '.join(self.inputs)}")
        leaves = []
        for leaf in self._saved.leaves:
            value = next(tensors, missing) if "tensor" in leaf or "int" in leaf else leaf["constant"]
            if value is missing:
                raise missing
            leaves.append(value if "tensor" in leaf or "constant" in leaf else int(np.asarray(value).item()))
        if next(tensors, None) is not None:
            raise missing
        args, kwargs = self._saved.arguments_of(leaves)
        return self(*args, **kwargs)

    def _invoke(self, arguments: list[Any]) -> list[np.ndarray]:
        import iree.runtime as rt

        signature = self._saved.signature
        given = rt.VmVariantList(len(arguments))
        for value, spec in zip(arguments, signature.inputs, strict=True):
            if isinstance(spec, TensorSpec):
                given.push_ref(self._import(value, spec))
            elif spec == "float":
                given.push_float(float(value))
            else:
                given.push_int(int(value))
        results = rt.VmVariantList(len(signature.outputs))
        try:
            self._call(self._function, given, results)
        except (RuntimeError, ValueError) as error:
            DEVICES.drop(self._device)
            raise InvokeError(f"{self._saved.path} failed at run time: {error}") from error
        arrays = [self._export(results, i, spec) for i, spec in enumerate(signature.outputs)]
        if signature.guarded and arrays.pop().any():
            raise InvokeError(f"{self._saved.path}: an index is out of range")
        return arrays

    def _import(self, value: Any, spec: TensorSpec) -> Any:
        import iree.runtime as rt
        from iree.runtime.array_interop import map_dtype_to_element_type

        wanted = np.dtype(_NUMPY.get(spec.dtype, spec.dtype))
        array = np.ascontiguousarray(value)
        if array.dtype != wanted:
            raise ArtifactError(f"the artifact takes {wanted}, not {array.dtype}")
        array = array.reshape(np.shape(value))  # ascontiguousarray makes a number a vector
        kind = rt.HalElementType.BFLOAT_16
        if spec.dtype != "bfloat16":
            kind = map_dtype_to_element_type(wanted)
        return self._device.handle.allocator.allocate_buffer_copy(
            memory_type=rt.MemoryType.DEVICE_LOCAL,
            allowed_usage=rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING,
            device=self._device.handle,
            buffer=array,
            element_type=kind,
        )

    def _export(self, results: Any, index: int, spec: TensorSpec) -> np.ndarray:
        import iree.runtime as rt

        view = results.get_as_object(index, rt.HalBufferView)
        dtype = np.dtype(_NUMPY.get(spec.dtype, spec.dtype))
        mapped = view.map()
        return np.array(mapped.asarray(tuple(view.shape), dtype))


def _array(weight: Weight) -> np.ndarray:
    dtype = np.dtype(_NUMPY.get(weight.dtype, weight.dtype))
    return np.frombuffer(weight.data, dtype).reshape(weight.shape).copy()


def names_of(results: Any, prefix: str = "") -> Mapping[str, Any]:
    """Name each array in nested results by its place, such as `logits` or `0.1`."""
    if isinstance(results, Mapping):
        pairs = [(str(key), value) for key, value in results.items()]
    elif isinstance(results, (list, tuple)):
        pairs = [(str(index), value) for index, value in enumerate(results)]
    else:
        return {prefix or "0": results}
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.update(names_of(value, f"{prefix}.{key}" if prefix else key))
    return found
