"""Save a model as an artifact that runs without torch and without the compiler."""

from __future__ import annotations

import dataclasses
import hashlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram

from myjit.artifact import PARAMETER_DTYPES, Signature, TensorSpec
from myjit.compile_part import Setting
from myjit.errors import GraphImportError, OptionsError
from myjit.frontend.bounds import checked
from myjit.frontend.cost import work
from myjit.frontend.importer import import_part
from myjit.frontend.lifted import lift
from myjit.frontend.signature import signature_of
from myjit.frontend.tensor_bytes import tensor_weight
from myjit.lower import CompileReply, CompileRequest
from myjit.mlir.context import without_locations
from myjit.options import CompileOptions
from myjit.passes.pipeline import Pipeline
from myjit.resolve import resolve_pipeline
from myjit.safetensors import Weight, write_weights
from myjit.saved_file import write_saved
from myjit.targets.base import Target, find_target
from myjit.toolchain import versions
from myjit.transforms.bind_parameters import binding_parameters
from myjit.worker_pool import POOL


def export(
    model: torch.nn.Module | ExportedProgram,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    path: str | Path,
    dynamic_shapes: Any = None,
    target: str | Sequence[str] = "cpu",
    options: Mapping[str, Any] | None = None,
    ir: bool = False,
) -> Path:
    """Compile a model for each of `target` and save it at `path`, weights included.

    `args`, `kwargs` and `dynamic_shapes` are torch.export's; the model may be exported already. A target
    is written `cpu` (this machine's processor), `cpu:generic`, `cpu:x86-64-v3` or by another name that
    LLVM knows; the first one that the machine supports is chosen when the artifact is loaded. `options`
    are torch.compile's; `ir` saves the imported program as well. Returns the path.

    Raises:
        GraphImportError: torch.export refuses the model.
        UnsupportedGraphError: a part of it can only run in torch.
        CompileError: the compiler refuses a part of it.
        OptionsError, RegistryError: no such option, target or pipeline.
    """
    settings = CompileOptions.parse(options)
    names = [target] if isinstance(target, str) else list(target)
    targets = {name: find_target(name) for name in names}
    if not targets:
        raise OptionsError("an artifact needs at least one target")
    program = model if isinstance(model, ExportedProgram) else _exported(model, args, kwargs, dynamic_shapes)
    variants = []
    members: dict[str, Iterable[Any]] = {}
    facts: dict[str, Any] = {}
    for number, (name, chosen) in enumerate(targets.items()):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning, module="torch|copyreg")  # torch's own
            built = _Build(program, chosen, resolve_pipeline(settings, chosen), settings)
        file = f"programs/{number}.vmfb"
        members[file] = [built.reply.vmfb]
        variants.append({"target": name, "file": file, **built.variant()})
        if not number:
            facts = {**built.lifted.facts, "parameters": built.table}
            facts["outputs"] = {"structure": facts["outputs"]["structure"]}
            members["parameters.safetensors"] = write_weights(built.stored)
        if ir:
            members[f"ir/{number}.mlirbc"] = [built.bytecode]
    manifest = {"versions": versions(), **facts, "variants": variants}
    write_saved(Path(path), manifest, members)
    return Path(path)


def _exported(
    model: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None, dynamic_shapes: Any
) -> ExportedProgram:
    if not isinstance(model, torch.nn.Module):
        raise OptionsError(f"export takes a module or an ExportedProgram, not {type(model).__name__}")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning)  # torch's own
            return torch.export.export(model, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes)
    except Exception as error:  # torch.export raises what the model raises: typed here, once
        first = (str(error).splitlines() or [""])[0]
        raise GraphImportError(f"torch.export refuses the model: {type(error).__name__}: {first}") from error


class _Build:
    """One program compiled for one target."""

    def __init__(
        self, program: ExportedProgram, target: Target, pipeline: Pipeline, options: CompileOptions
    ) -> None:
        self.target = target
        self.lifted = lift(program, pipeline, lacking=target.lacks())
        self.stored, self.table = _store(self.lifted.weights)
        part = checked(self.lifted.part, target.longest_loop())
        self.signature = _plain(signature_of(part, guarded=part is not self.lifted.part))
        self.taken = tuple(self._parameter(argument) for argument in self.lifted.arguments)
        self.bytecode = import_part(part, self.signature, self.taken)
        identity = hashlib.sha256(without_locations(self.bytecode)).hexdigest()
        setting = Setting(target, binding_parameters(pipeline), options)
        self.key = setting.key("ir", identity)
        request = CompileRequest(
            self.bytecode,
            setting.pipeline,
            target.flags(),
            options.dump,
            options.override,
            describe=True,
            libraries=target.granted(),
        )
        self.reply: CompileReply = POOL.wait(POOL.submit(request, options.compile_timeout, options.workers))

    def _parameter(self, argument: int | str) -> str:
        """Return the stored name of an argument that the module asks for itself; empty for the others."""
        if isinstance(argument, int) or argument in self.lifted.updates:
            return ""
        facts = self.table[argument]
        return facts["stored"] if facts["dtype"] in PARAMETER_DTYPES and 0 not in facts["shape"] else ""

    def variant(self) -> dict[str, Any]:
        """Describe the compiled module for the manifest: what it needs, and how it is called."""
        left = [i for i, name in enumerate(self.taken) if not name]
        arguments = [self.lifted.arguments[i] for i in left]
        signature = dataclasses.replace(self.signature, inputs=tuple(self.signature.inputs[i] for i in left))
        architecture, features = self.reply.processor
        nodes = self.lifted.part.module.graph.nodes
        return {
            "key": self.key.parts,
            "architecture": architecture,
            "features": features,
            "driver": self.target.driver(work=work([n for n in nodes if n.op == "call_function"])),
            "outputs": self.lifted.facts["outputs"]["leaves"],
            "arguments": [{"input": a} if isinstance(a, int) else {"held": a} for a in arguments],
            "updates": dict(self.lifted.updates),
            "taken": sorted({name for name in self.taken if name}),
            "signature": signature.to_json(),
        }


def _plain(signature: Signature) -> Signature:
    """Make every tensor row-major, and let the compiled code allocate the results."""

    def row_major(spec: TensorSpec | str) -> Any:
        if isinstance(spec, str):
            return spec
        return dataclasses.replace(spec, order=tuple(range(len(spec.order))))

    inputs = tuple(row_major(spec) for spec in signature.inputs)
    outputs = tuple(row_major(spec) for spec in signature.outputs)
    return Signature(inputs, outputs, (), (), signature.guarded)


def _store(weights: Mapping[str, torch.Tensor]) -> tuple[dict[str, Weight], dict[str, dict[str, Any]]]:
    """Return the weights to save, each memory once, and the table of all names."""
    stored: dict[str, Weight] = {}
    table: dict[str, dict[str, Any]] = {}
    places: dict[Any, str] = {}
    for name, tensor in weights.items():
        place = (tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tensor.stride())
        first = places.setdefault(place, name) if tensor.numel() else name
        if first == name:
            stored[name] = tensor_weight(tensor)
        table[name] = {"dtype": stored[first].dtype, "shape": list(tensor.shape), "stored": first}
    return stored, table
