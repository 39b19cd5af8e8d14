"""Make MLIR contexts and move modules between them as bytecode.

torch-mlir and IREE each carry their own MLIR; modules cross between the two as bytecode, never as
text (their textual forms differ in places).
"""

from __future__ import annotations

import io
import threading
import warnings
from typing import Any

from myjit.errors import IRError, first_line
from myjit.mlir.diagnostics import attached
from myjit.registry import Registry

#: Python-defined dialects, by namespace: the class `DIALECT` of each file, and entry points.
DIALECTS: Registry[Any] = Registry("dialect", "myjit.dialects", "DIALECT", "myjit.dialects")

#: The attribute with which IREE keeps commands in order, as it reads it, and as it prints it: equally long,
#: since bytecode holds the text, and says where each text begins.
IN_ORDER = '#stream.partitioning_config<"debug"    >'
_PRINTED = "#stream.partitioning_config<favor-debug>"

#: Held while dialects are loaded: a dialect's class keeps the module that one context is given, and parts of
#: a program are compiled by several threads.
_LOADING = threading.Lock()


def new_context() -> Any:
    """Return a torch-mlir context with the torch dialect and every Python-defined dialect.

    Multithreading stays off: Python passes and verifiers would deadlock on the GIL.
    """
    from torch_mlir import ir

    # Not through torch_mlir.dialects.torch: the classes of its 900 operations take 0.1 s to import.
    from torch_mlir._mlir_libs._torchMlir import register_dialect

    context = ir.Context()
    context.enable_multithreading(False)
    register_dialect(context)
    with _LOADING, context, ir.Location.unknown():
        for name, dialect in DIALECTS.usable():
            _load_dialect(name, dialect)
    return context


def _load_dialect(name: str, dialect: Any) -> None:
    """Load a Python-defined dialect; programs that do not need it go on without one that fails."""
    try:
        dialect.load()
    except Exception as error:  # noqa: BLE001 (a stranger's dialect may fail in any way)
        text = f"left out: dialect {name!r} cannot be loaded: {first_line(error)}"
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def new_iree_context() -> Any:
    """Return a context of IREE's MLIR, for passes of the iree level outside of a compiler session."""
    from iree.compiler import ir

    context = ir.Context()
    context.enable_multithreading(False)
    return context


def parse(source: bytes | str, context: Any) -> Any:
    """Parse text or bytecode into a module of `context` (torch-mlir's or IREE's).

    `IN_ORDER`, of which IREE cannot read what it prints, is read as it was meant.

    Raises:
        IRError: with the diagnostics, when it is no valid module.
    """
    ir = bindings(context).ir
    with context:
        try:
            return ir.Module.parse(_readable(source), context)
        except ir.MLIRError as error:
            found = attached(error)
            first = found[0].message if found else str(error).splitlines()[0]
            raise IRError(f"not a valid module: {first}", found) from error


def _readable(source: bytes | str) -> bytes | str:
    if isinstance(source, str):
        return source.replace(_PRINTED, IN_ORDER)
    return source.replace(_PRINTED.encode(), IN_ORDER.encode())


def to_bytecode(module: Any) -> bytes:
    """Return a module's bytecode, with locations."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def without_locations(bytecode: bytes) -> bytes:
    """Return a torch-mlir module's bytecode without places in source files: what identifies a program."""
    from torch_mlir import passmanager

    module = parse(bytecode, new_context())
    with module.context:
        passmanager.PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)
    return to_bytecode(module)


class _Bindings:
    """The `ir` and `passmanager` modules that one context belongs to, and what they know of linalg."""

    def __init__(self, ir: Any, passmanager: Any, linalg: Any) -> None:
        self.ir = ir
        self.passmanager = passmanager
        self.linalg = linalg


def bindings(owner: Any) -> _Bindings:
    """Return the binding modules that a context, module or operation belongs to."""
    if type(owner).__module__.startswith("iree."):
        from iree.compiler import ir, passmanager
        from iree.compiler._mlir_libs import _mlirDialectsLinalg as linalg
    else:
        from torch_mlir import ir, passmanager
        from torch_mlir._mlir_libs import _mlirDialectsLinalg as linalg
    return _Bindings(ir, passmanager, linalg)


def set_attribute(module: Any, name: str, text: str) -> None:
    """Give a module an attribute, written as MLIR text; none where the text is empty."""
    if text:
        attribute = bindings(module).ir.Attribute.parse(text, module.context)
        module.operation.attributes[name] = attribute
