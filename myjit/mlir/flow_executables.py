"""Copy what `flow.dispatch` operations run."""

from __future__ import annotations

from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import operations, symbol_name


def flow_executables(module: Any) -> dict[str, Any]:
    """Return a module's flow executables by their names."""
    return {symbol_name(op): op for op in operations(module.operation) if op.name == "flow.executable"}


def copied(executables: dict[str, Any], entry: Any, suffix: str) -> tuple[Any, Any]:
    """Return the entry point of a copy whose names end so, and its function if it was made now, or None.

    Names of kernels are as unique as those of executables: linked, the kernels stand side by side.
    """
    ir = bindings(entry).ir
    executable, kernel = entry.value
    own, own_kernel = executable + suffix, kernel + suffix
    copied_entry = ir.SymbolRefAttr.get([own, own_kernel])
    if own in executables:
        return copied_entry, None
    with ir.InsertionPoint(executables[executable]):
        copy = executables[own] = executables[executable].clone()
    copy.attributes["sym_name"] = ir.StringAttr.get(own)
    named = [op for op in operations(copy) if "sym_name" in op.attributes and symbol_name(op) == kernel]
    export, function = sorted(named, key=lambda op: op.name)
    for op in (export, function):
        op.attributes["sym_name"] = ir.StringAttr.get(own_kernel)
    export.attributes["function_ref"] = ir.FlatSymbolRefAttr.get(own_kernel)
    return copied_entry, function
