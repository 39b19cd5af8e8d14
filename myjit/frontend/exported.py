"""A model by name, or an exported program, to the graph and the IR that torch.compile would lower."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.export import Dim, ExportedProgram
from torch.fx import GraphModule

from myjit.errors import GraphImportError, OptionsError, first_line
from myjit.frontend.decomposed import decomposed
from myjit.frontend.extract import extract
from myjit.frontend.importer import import_part
from myjit.frontend.rewrite import rewrite
from myjit.frontend.signature import signature_of
from myjit.passes.pipeline import Pipeline
from myjit.registry import did_you_mean

_DTYPES = {
    "f16": torch.float16,
    "f32": torch.float32,
    "f64": torch.float64,
    "bf16": torch.bfloat16,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "bool": torch.bool,
}
_SPEC = re.compile(r"(\w+)(?:\[([\w\s,]*)\])?")


def export_model(name: str, inputs: Sequence[str], *, train: bool) -> ExportedProgram:
    """Export `module:name` for inputs written like `f32[2,8]`; names for sizes make them dynamic.

    Raises:
        OptionsError: the name or a spec cannot be read.
        GraphImportError: torch.export refuses the model.
    """
    symbols: dict[str, int] = {}
    model, tensors = model_and_inputs(name, inputs, symbols)
    model.train(train)
    dims = {symbol: Dim(symbol, min=2) for symbol in symbols}
    shapes = tuple({i: dims[s] for i, s in enumerate(_sizes(spec)) if s in dims} for spec in inputs)
    try:
        return torch.export.export(
            model, tensors, dynamic_shapes=_by_parameter(model, shapes) if dims else None
        )
    except Exception as error:  # torch.export raises what the model raises: typed here, once
        raise GraphImportError(f"torch.export refuses {name}: {first_line(error)}") from error


def model_and_inputs(
    name: str, inputs: Sequence[str], symbols: dict[str, int]
) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """Find the model `module:name`, and make tensors of ones for inputs written like `f32[2,8]`.

    Each name of a size gets a size of its own in `symbols`.

    Raises:
        OptionsError: the name or a spec cannot be read.
    """
    tensors = tuple(_tensor(spec, symbols) for spec in inputs)
    return _as_module(_find(name), takes_inputs=bool(tensors)), tensors


def load_exported(path: Path) -> ExportedProgram:
    """Read what torch.export.save wrote.

    Raises:
        OptionsError: there is no such file, or it is none.
    """
    if not path.is_file():
        raise OptionsError(f"no such file: {path}")
    try:
        return torch.export.load(path)
    except Exception as error:  # a zip, pickle or version error: typed here, once
        raise OptionsError(f"{path} is no exported program: {first_line(error)}") from error


def exported_graph(program: ExportedProgram, pipeline: Pipeline) -> GraphModule:
    """Decompose with the pipeline's table and run its fx level."""
    graph = decomposed(program, pipeline).graph_module
    rewrite(graph, pipeline)
    return graph


def import_graph(graph: GraphModule) -> bytes:
    """Import a whole graph; return the bytecode of the module in the torch dialect.

    Raises:
        GraphImportError: naming the node that the importer refused.
    """
    nodes = [n for n in graph.graph.nodes if n.op == "call_function"]
    if not nodes:
        raise GraphImportError("the model computes nothing: its graph has no operations")
    part = extract(graph, nodes)
    return import_part(part, signature_of(part))


def _find(name: str) -> Any:
    module_name, colon, attribute = name.partition(":")
    if not colon or not all(part.isidentifier() for part in module_name.split(".")):
        raise OptionsError(f"{name!r} is neither MODULE:NAME nor a file that ends in .pt2")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise OptionsError(f"cannot import {module_name!r}: {error}") from error
    except (Exception, SystemExit) as error:  # whatever the user's module raises: typed here, once
        raise OptionsError(f"cannot import {module_name!r}: {first_line(error)}") from error
    value: Any = module
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise OptionsError(f"{module_name} has no {attribute!r}.{did_you_mean(part, dir(value))}")
        value = getattr(value, part)
    return value


class _Function(torch.nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def _as_module(value: Any, *, takes_inputs: bool) -> torch.nn.Module:
    """Return a module: `value` itself, what it builds without arguments, or round a function of tensors."""
    if isinstance(value, torch.nn.Module):
        return value
    if not callable(value):
        raise OptionsError(f"{value!r} is neither a model nor callable")
    if isinstance(value, type) or not (takes_inputs and _needs_arguments(value)):
        built = _built(value)
        if isinstance(built, torch.nn.Module):
            return built
        raise OptionsError(f"{value!r} built {type(built).__name__}, not a model")
    return _Function(value)


def _built(build: Callable[[], Any]) -> Any:
    try:
        return build()
    except Exception as error:  # whatever the user's function raises: typed here, once
        raise OptionsError(f"{build!r}, called without arguments: {first_line(error)}") from error


def _needs_arguments(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built-in functions, such as torch.relu, have no signature
        return True
    return any(p.default is p.empty and p.kind is not p.VAR_KEYWORD for p in parameters)


def _sizes(spec: str) -> list[str]:
    inside = _SPEC.fullmatch(spec.strip())
    return [s.strip() for s in ((inside and inside.group(2)) or "").split(",") if s.strip()]


def _tensor(spec: str, symbols: dict[str, int]) -> torch.Tensor:
    """Make an example for `f32[2,8]`; each new name of a size gets a size of its own."""
    match = _SPEC.fullmatch(spec.strip())
    if match is None or match.group(1) not in _DTYPES:
        known = ", ".join(_DTYPES)
        raise OptionsError(f"cannot read the input {spec!r}: write f32[2,8], with one of {known}")
    sizes = []
    for size in _sizes(spec):
        is_number = size.isascii() and size.isdigit()
        if not is_number and not size.isidentifier():
            raise OptionsError(f"cannot read the size {size!r} of the input {spec!r}")
        sizes.append(int(size) if is_number else symbols.setdefault(size, 5 + 2 * len(symbols)))
    try:
        return torch.ones(sizes, dtype=_DTYPES[match.group(1)])
    except (RuntimeError, TypeError, ValueError) as error:  # no such memory, no such number
        raise OptionsError(f"cannot make the input {spec!r}: {first_line(error)}") from error


def _by_parameter(model: torch.nn.Module, shapes: tuple[Any, ...]) -> Any:
    """Return dynamic shapes in the form that torch.export takes for the model's signature."""
    return (shapes,) if isinstance(model, _Function) else shapes
