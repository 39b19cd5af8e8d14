"""Make MLIR contexts and move modules between them as bytecode.

torch-mlir and IREE each carry their own MLIR; modules cross between the two as bytecode, never as
text (their textual forms differ in places).
"""

from __future__ import annotations

import io
from typing import Any


def new_context() -> Any:
    """Return a torch-mlir context with the torch dialect registered.

    Multithreading stays off: Python passes and verifiers would deadlock on the GIL.
    """
    from torch_mlir import ir
    from torch_mlir.dialects import torch as torch_dialect

    context = ir.Context()
    context.enable_multithreading(False)
    torch_dialect.register_dialect(context)
    return context


def parse(source: bytes | str, context: Any) -> Any:
    """Parse text or bytecode into a module of `context` (torch-mlir's or IREE's)."""
    ir = bindings(context).ir
    with context:
        return ir.Module.parse(source, context)


def to_bytecode(module: Any) -> bytes:
    """Return a module's bytecode, with locations."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


class _Bindings:
    """The `ir` and `passmanager` modules that one context belongs to."""

    def __init__(self, ir: Any, passmanager: Any) -> None:
        self.ir = ir
        self.passmanager = passmanager


def bindings(owner: Any) -> _Bindings:
    """Return the binding modules that a context, module or operation belongs to."""
    if type(owner).__module__.startswith("iree."):
        from iree.compiler import ir, passmanager
    else:
        from torch_mlir import ir, passmanager
    return _Bindings(ir, passmanager)
