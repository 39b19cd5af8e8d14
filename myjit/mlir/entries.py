"""Functions in the place of kernels: IREE calls them once a workgroup, and they call the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from myjit.mlir.context import bindings
from myjit.mlir.operations import symbol_name

#: What a kernel takes (IREE's environment, the dispatch, the workgroup) and returns: 0 when it is done.
PARAMETERS = "(%env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr) -> i32"


def exports(variant: Any) -> list[Any]:
    """Return the kernels that a variant of an executable exports."""
    return [op for op in _body(variant) if op.name == "hal.executable.export"]


def surround(
    variant: Any, kernels: Sequence[Any], functions: str, suffix: str, entry: Callable[[Any, str], str]
) -> None:
    """Put a function in the place of each exported kernel, which goes on under its name with a suffix.

    `functions` is what these functions share, as text; `entry` writes one, from what is exported and the
    kernel's new name, beside declarations of what it calls.
    """
    if not kernels:
        return
    ir = bindings(variant).ir
    (module,) = (op for op in _body(variant) if op.name == "builtin.module")
    named = {symbol_name(op): op for op in _body(module) if "sym_name" in op.attributes}
    with variant.location:
        top = ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0])
        for op in ir.Module.parse(functions).body.operations:
            if symbol_name(op.operation) not in named:
                op.operation.clone(top)
        for export in kernels:
            name = symbol_name(export)
            kernel = named[name]
            kernel.attributes["sym_name"] = ir.StringAttr.get(name + suffix)
            kernel.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
            kernel.attributes["sym_visibility"] = ir.StringAttr.get("private")
            kernel.attributes["no_inline"] = ir.UnitAttr.get()
            for op in ir.Module.parse(entry(export, name + suffix)).body.operations:
                if symbol_name(op.operation) == name:
                    op.operation.clone(top)


def _body(op: Any) -> list[Any]:
    return [child.operation for region in op.regions for block in region for child in block]
