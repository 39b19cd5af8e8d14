"""Build the decomposition table that a pipeline declares."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import torch

from myjit.errors import FallbackWarning, RegistryError
from myjit.frontend.nodes import is_listed
from myjit.frontend.strides import is_asked, ordered_like
from myjit.passes.base import Decompositions
from myjit.registry import Registry

Table = dict[Any, Callable[..., Any]]

DECOMPOSITIONS: Registry[Table] = Registry(
    "decomposition", "myjit.graph.decompositions", "DECOMPOSITIONS", "myjit.decompositions"
)

#: What `torch.tensor` within a decomposition leaves beside its constant: AOTAutograd refuses a graph with it.
_OF_CONSTANTS: Table = {torch.ops.aten.detach_.default: lambda tensor: tensor}


@cache
def decomposition_table(declared: Decompositions, whole: tuple[str, ...] = ()) -> Table:
    """Return the table: the base under the declared additions, less the ops kept whole.

    `whole` lists more of them, with their overload or without; it may name ops that do not exist.

    Raises:
        RegistryError: an unknown base, addition or op to keep.
    """
    table = {op: _or_whole(op, function) for op, function in _base(declared.base).items()} | _OF_CONSTANTS
    for name in declared.add:
        table.update({op: _or_whole(op, f, source=name) for op, f in DECOMPOSITIONS.get(name).items()})
    for name in declared.keep:
        _require_op(name)
    return _less(table, (*declared.keep, *whole))


def whole_layers(whole: tuple[str, ...] = ()) -> Table:
    """Return the table of ops that stand for a whole layer: what is to be placed is their parts."""
    return _less(DECOMPOSITIONS.get("encoder-layer"), whole) | _OF_CONSTANTS


def _less(table: Table, ops: tuple[str, ...]) -> Table:
    return {op: function for op, function in table.items() if not is_listed(str(op), ops)}


def _base(name: str) -> dict[Any, Callable[..., Any]]:
    if name == "torch-mlir":
        return _torch_mlir_table()
    if name == "core-aten":
        return torch._decomp.core_aten_decompositions()
    if name == "none":
        return {}
    raise RegistryError(f"no decomposition table {name!r}: one of torch-mlir, core-aten, none")


def _or_whole(op: Any, decomposition: Callable[..., Any], source: str = "") -> Callable[..., Any]:
    """Leave the op whole where a decomposition of it fails: on arguments that the op itself takes, such as an
    output size of zero, or where the op raises an error of its own, which users know.

    Of one that was added, from `source`, this is said: whoever wrote it wants to know.
    """

    @wraps(decomposition)
    def attempt(*args: Any, **kwargs: Any) -> Any:
        if is_asked():
            return NotImplemented
        try:
            return ordered_like(op, decomposition(*args, **kwargs), args, kwargs)
        except Exception as error:  # noqa: BLE001 (a program over the op's arguments: it may fail in any way)
            if source:
                last = traceback.extract_tb(error.__traceback__)[-1]
                said = f"{type(error).__name__}: {error} at {last.filename}:{last.lineno}"
                message = f"decomposition {source!r} failed and leaves its op whole: {said}"
                warnings.warn(message, FallbackWarning, stacklevel=2)
            return NotImplemented

    return attempt


def _torch_mlir_table() -> dict[Any, Callable[..., Any]]:
    """Run the file of torch-mlir's table by itself.

    It needs torch only. A process that finds its programs in the cache imports no part of torch-mlir.
    """
    package = find_spec("torch_mlir")
    folders = [] if package is None else list(package.submodule_search_locations or ())
    files = [Path(folder) / "extras" / "fx_decomp_util.py" for folder in folders]
    found = next((file for file in files if file.is_file()), None)
    spec = spec_from_file_location("myjit_torch_mlir_table", found) if found is not None else None
    if spec is None or spec.loader is None:
        raise RegistryError("torch-mlir, whose decomposition table the pipeline names, is not installed")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.get_decomposition_table()


def _require_op(name: str) -> None:
    namespace, _, op = name.partition(".")
    try:
        getattr(getattr(torch.ops, namespace), op)
    except AttributeError as error:
        raise RegistryError(f"no op {name!r} to keep whole") from error
