"""MLIR bytecode to VMFB through IREE's compiler; the only importer of its tools.

Runs in the worker process: IREE's compiler crashes on some inputs.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

from myjit.errors import CodegenError, Diagnostic
from myjit.mlir.diagnostics import from_text

_SEVERITIES = {0: "note", 1: "warning", 2: "error", 3: "remark"}
#: Errors that IREE adds when an earlier one has ended a dispatch; they point anywhere in it.
_CONSEQUENCES = ("failed to run translation", "failed to serialize executable")
_ANY_FUNCTION = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def open_session(flags: tuple[str, ...]) -> Any:
    """Open an IREE compiler session with `flags`.

    Raises:
        CodegenError: IREE does not know a flag.
    """
    from iree.compiler import api

    session = api.Session()
    try:
        session.set_flags(*flags)
    except ValueError as error:
        raise CodegenError(f"IREE refuses the flags {' '.join(flags)}: {error}") from error
    # An operation of an unknown dialect would crash IREE; like this it is a clean error.
    session.context.allow_unregistered_dialects = False
    return session


def compile_module(session: Any, module: Any) -> bytes:
    """Compile an MLIR module of the session's context to a VMFB.

    Raises:
        CodegenError: with IREE's diagnostics, traced back to FX nodes where they carry locations.
    """
    from iree.compiler import api

    messages: list[tuple[str, str]] = []

    def receive(severity: int, text: int, size: int, _: Any) -> None:
        messages.append((_SEVERITIES.get(severity, "error"), _text(text, size)))

    callback = _CALLBACK(receive)
    invocation = api.Invocation(session)
    _enable_callback()(invocation._inv_p, 0, callback, None)
    invocation.import_module(module.operation)
    if not invocation.execute():
        found = _diagnostics(messages)
        reason = found[0].message if found else "no diagnostics"
        raise CodegenError(f"IREE refused the program: {reason}", diagnostics=found)
    output = api.Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())


def processor(flags: tuple[str, ...]) -> tuple[str, str]:
    """Return the architecture and the features (LLVM's list) that code compiled with `flags` may use.

    Empty where the target is no processor. Read from a function compiled up to where IREE chooses them.
    """
    from iree.compiler import api, ir
    from iree.compiler.api import ctypes_dl

    session = open_session(flags)
    stop_after = ctypes_dl._dylib.ireeCompilerInvocationSetCompileToPhase
    stop_after.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    stop_after.restype = None
    with session.context, ir.Location.unknown():
        module = ir.Module.parse(_ANY_FUNCTION)
        invocation = api.Invocation(session)
        invocation.import_module(module.operation)
        stop_after(invocation._inv_p, b"preprocessing")
        text = str(module) if invocation.execute() else ""
    features = re.search(r'cpu_features = "([^"]*)"', text)
    triple = re.search(r'target_triple = "([^"-]*)', text)
    return (triple.group(1) if triple else "", features.group(1) if features else "")


def _text(address: int, size: int) -> str:
    return ctypes.string_at(address, size).decode(errors="replace")


def _enable_callback() -> Any:
    from iree.compiler.api import ctypes_dl

    enable = ctypes_dl._dylib.ireeCompilerInvocationEnableCallbackDiagnostics
    enable.argtypes = [ctypes.c_void_p, ctypes.c_int, _CALLBACK, ctypes.c_void_p]
    enable.restype = None
    return enable


def _diagnostics(messages: list[tuple[str, str]]) -> tuple[Diagnostic, ...]:
    """Give each error the FX nodes that its notes name; drop the notes and what only follows."""
    found: list[Diagnostic] = []
    for severity, text in messages:
        diagnostic = from_text(severity, text)
        if severity == "error":
            if not found or not diagnostic.message.startswith(_CONSEQUENCES):
                found.append(diagnostic)
        elif found and not found[-1].nodes and diagnostic.nodes:
            last = found[-1]
            source = last.source or diagnostic.source
            found[-1] = Diagnostic(last.severity, last.message, diagnostic.nodes, source)
    return tuple(found)
