"""How to call an exported program, as the JSON that a saved artifact keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.fx import Node
from torch.utils._pytree import TreeSpec
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.printers import PythonPrinter

from myjit.errors import UnsupportedGraphError

_PLAIN = (bool, int, float, str, type(None))


def input_facts(program: ExportedProgram, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Describe each leaf of the arguments: a tensor, an integer known at the call, or a constant.

    `values` are what tracing recorded for the placeholders, by name.
    """
    facts: list[dict[str, Any]] = []
    for spec in program.graph_signature.input_specs:
        if spec.kind is not InputKind.USER_INPUT:
            continue
        if isinstance(spec.arg, ConstantArgument):
            _require_plain(spec.arg.value)
            facts.append({"constant": spec.arg.value})
            continue
        value = values[spec.arg.name]
        if isinstance(value, torch.Tensor):
            shape = [size_text(s) for s in value.shape]
            facts.append({"tensor": {"dtype": str(value.dtype).removeprefix("torch."), "shape": shape}})
        else:
            facts.append({"int": size_text(value)})
    return facts


def output_facts(
    results: Sequence[tuple[Any, Any, Any]],
    compiled: Sequence[Node],
    inputs: Sequence[str],
    held: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Say where each leaf of the result comes from.

    `results` are torch.export's specs with the graph's node and, for sizes, their value; `compiled` the
    nodes that the compiled code returns, `inputs` the placeholders of arguments in order, `held` the
    names of weights by placeholder.
    """
    facts: list[dict[str, Any]] = []
    for spec, node, size in results:
        if spec.kind is OutputKind.BUFFER_MUTATION:
            continue
        if spec.kind is OutputKind.USER_INPUT_MUTATION:
            raise UnsupportedGraphError(f"the model writes into its argument {spec.target!r}")
        if spec.kind is not OutputKind.USER_OUTPUT:
            raise UnsupportedGraphError(f"an artifact cannot hold an output of kind {spec.kind.name}")
        if isinstance(spec.arg, ConstantArgument):
            _require_plain(spec.arg.value)
            facts.append({"constant": spec.arg.value})
        elif size is not None:
            facts.append({"size": size_text(size)})
        elif node.name in inputs:
            facts.append({"input": inputs.index(node.name)})
        elif node.name in held:
            raise UnsupportedGraphError(f"the model returns its own weight {held[node.name]!r}")
        else:
            facts.append({"result": compiled.index(node)})
    return facts


def symbol_facts(program: ExportedProgram) -> dict[str, list[int | None]]:
    """Return the smallest and the largest value of each symbol, None for no limit."""
    return {
        str(symbol): [_limit(span.lower), _limit(span.upper)]
        for symbol, span in program.range_constraints.items()
    }


def size_text(size: Any) -> int | str:
    """Write a size: a number, or an expression over symbols."""
    return size if isinstance(size, int) else PythonPrinter().doprint(size.node.expr)


def structure(spec: TreeSpec) -> dict[str, Any]:
    """Write torch's description of nested values; `runtime.structure` reads it without torch."""
    return _structure(spec, iter(range(spec.num_leaves)))


def _structure(spec: TreeSpec, leaves: Any) -> dict[str, Any]:
    if spec.is_leaf():
        return {"leaf": next(leaves)}
    children = [_structure(child, leaves) for child in spec.children()]
    if spec.type in (list, tuple):
        return {spec.type.__name__: children}
    keys = spec.context if isinstance(spec.context, (list, tuple)) else range(len(children))
    if len(keys) != len(children) or not all(isinstance(key, _PLAIN) for key in keys):
        keys = range(len(children))
    pairs = [[key, child] for key, child in zip(keys, children, strict=True)]
    if spec.type is dict:
        return {"dict": pairs}
    name = f"{spec.type.__module__}.{spec.type.__qualname__}" if spec.type is not None else ""
    return {"object": name, "fields": pairs}


def _limit(value: Any) -> int | None:
    return None if value in (int_oo, -int_oo) or not value.is_finite else int(value)


def _require_plain(value: Any) -> None:
    if not isinstance(value, _PLAIN):
        raise UnsupportedGraphError(f"an artifact cannot hold the constant {value!r}")
