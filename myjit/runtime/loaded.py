"""A saved artifact as a callable on torch tensors."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import Any

import torch

from myjit.artifact import Artifact
from myjit.errors import ArtifactError, InvokeError
from myjit.runtime.executable import Executable
from myjit.runtime.interop import torch_dtype
from myjit.runtime.saved import Saved
from myjit.safetensors import Weight


def load(path: str | Path, *, target: str | None = None, device: str = "auto") -> LoadedModel:
    """Open what `myjit.export` saved; return a callable that takes what the model took.

    `target` chooses a variant by name; by default the first one that this machine supports is taken.
    `device` is a CPU driver as in torch.compile's options: 'sync', 'task', or 'auto'. Results of types
    of the model's own come back as dictionaries.

    Raises:
        ArtifactError: the file is damaged, of another version, or not for this machine.
    """
    return LoadedModel(Saved(path, target), device)


class LoadedModel:
    """A loaded artifact. Buffers that the model changes are kept from call to call."""

    def __init__(self, saved: Saved, device: str) -> None:
        driver = saved.variant["driver"] if device == "auto" else f"local-{device}"
        signature = dataclasses.replace(saved.signature, guarded=False)  # the guard is a result here
        artifact = Artifact(bytes(saved.vmfb), signature, saved.parameters())
        self._saved = saved
        self._held = saved.held(_tensor)
        self._executable = Executable(artifact, driver, name=saved.path.name)
        self._updates = bool(saved.variant["updates"])
        self._lock = threading.Lock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model, without gradients.

        Raises:
            ArtifactError: the arguments are not those that the artifact was made for.
            InvokeError: the compiled code failed, or an index was out of range.
        """
        with torch.no_grad():
            if not self._updates:
                return self._saved.run(args, kwargs, self._held, self._invoke)
            with self._lock:
                return self._saved.run(args, kwargs, self._held, self._invoke)

    def state(self) -> dict[str, torch.Tensor]:
        """Return the buffers that the model changes, as they are now."""
        return {name: self._held[name] for name in self._saved.variant["updates"]}

    def _invoke(self, arguments: list[Any]) -> Any:
        for index, (value, spec) in enumerate(zip(arguments, self._saved.signature.inputs, strict=True)):
            if not isinstance(spec, str):
                dtype = torch_dtype(spec.dtype)
                if not isinstance(value, torch.Tensor) or value.dtype != dtype or value.device.type != "cpu":
                    raise ArtifactError(f"the artifact takes {dtype} tensors on the CPU, not {_kind(value)}")
                arguments[index] = value.resolve_conj().resolve_neg()
        results = list(self._executable.call(arguments))
        if self._saved.signature.guarded and results.pop().any():
            raise InvokeError(f"{self._saved.path}: an index is out of range")
        return results


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{value.dtype} on {value.device}"
    return type(value).__name__


def _tensor(weight: Weight) -> torch.Tensor:
    flat = torch.empty(len(weight.data), dtype=torch.uint8)
    if len(weight.data):
        flat.copy_(torch.frombuffer(bytearray(weight.data), dtype=torch.uint8))
    return flat.view(torch_dtype(weight.dtype)).reshape(weight.shape)
