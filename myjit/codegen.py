"""MLIR bytecode to VMFB through IREE's compiler; the only importer of its tools.

Runs in the worker process: IREE's compiler crashes on some inputs.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from myjit.errors import CodegenError, Diagnostic, OptionsError
from myjit.launches import Launches
from myjit.mlir.diagnostics import from_text
from myjit.mlir.read_launches import read_launches

_SEVERITIES = {0: "note", 1: "warning", 2: "error", 3: "remark"}
#: Errors that IREE adds when an earlier one has ended a dispatch; they point anywhere in it.
_CONSEQUENCES = ("failed to run translation", "failed to serialize executable")
_ANY_FUNCTION = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
#: The phase after which kernels are code, and the host's part says what it launches.
_COMMANDS = "hal"
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def open_session(flags: tuple[str, ...]) -> Any:
    """Open an IREE compiler session with `flags`.

    Raises:
        OptionsError: IREE does not know a flag, or the value it is given.
    """
    from iree.compiler import api

    session = api.Session()
    try:
        session.set_flags(*flags)
    except ValueError as error:
        raise OptionsError(f"IREE refuses the flags {' '.join(flags)}: {error}") from error
    # An operation of an unknown dialect would crash IREE; like this it is a clean error.
    session.context.allow_unregistered_dialects = False
    return session


def compile_module(
    session: Any, module: Any, between: Mapping[str, Callable[[Any], Any]] | None = None
) -> bytes:
    """Compile an MLIR module of the session's context to a VMFB.

    `between` holds, by phase of IREE's compiler and in their order, what gets the module after that
    phase and returns the module to go on with.

    Raises:
        CodegenError: with IREE's diagnostics, traced back to FX nodes where they carry locations.
    """
    from iree.compiler import api

    module, done = _through(session, module, between or {})
    invocation = _invoke(session, module, start=done)
    output = api.Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())


def compile_launches(
    session: Any, module: Any, between: Mapping[str, Callable[[Any], Any]] | None = None
) -> Launches | None:
    """Compile an MLIR module to launches; None where its host part is more than to send commands.

    Raises:
        CodegenError: as `compile_module`.
    """
    module, done = _through(session, module, between or {})
    _invoke(session, module, start=done, stop=_COMMANDS)
    return read_launches(module)


def _through(session: Any, module: Any, between: Mapping[str, Callable[[Any], Any]]) -> tuple[Any, str]:
    """Take a module through what runs between phases; return it and the last of these phases.

    That has one thread: Python waits for MLIR's others with its lock held, which they need to tell an error.
    """
    done = ""
    for phase, run in between.items():
        _invoke(session, module, start=done, stop=phase)
        session.context.enable_multithreading(False)
        try:
            module, done = run(module), phase
        finally:
            session.context.enable_multithreading(True)
    return module, done


def _invoke(session: Any, module: Any, *, start: str = "", stop: str = "") -> Any:
    """Run IREE's compiler on a module, in place, after the phase `start` and to the end of `stop`."""
    from iree.compiler import api

    messages: list[tuple[str, str]] = []

    def receive(severity: int, text: int, size: int, _: Any) -> None:
        messages.append((_SEVERITIES.get(severity, "error"), _text(text, size)))

    callback = _CALLBACK(receive)
    invocation = api.Invocation(session)
    invocation.receive_diagnostics = callback  # C holds no reference
    _function("EnableCallbackDiagnostics", ctypes.c_int, _CALLBACK, ctypes.c_void_p)(
        invocation._inv_p, 0, callback, None
    )
    if start:
        _function("SetCompileFromPhase", ctypes.c_char_p)(invocation._inv_p, start.encode())
    if stop:
        _function("SetCompileToPhase", ctypes.c_char_p)(invocation._inv_p, stop.encode())
    invocation.import_module(module.operation)
    if not invocation.execute():
        found = _diagnostics(messages)
        reason = found[0].message if found else "no diagnostics"
        raise CodegenError(f"IREE refused the program: {reason}", diagnostics=found)
    return invocation


def processor(flags: tuple[str, ...]) -> tuple[str, str]:
    """Return the architecture and the features (LLVM's list) that code compiled with `flags` may use.

    Empty where the target is no processor.
    """
    text = "\n".join(_devices(flags))
    features = re.search(r'cpu_features = "([^"]*)"', text)
    triple = re.search(r'target_triple = "([^"-]*)', text)
    return (triple.group(1) if triple else "", features.group(1) if features else "")


@cache
def executable_target(flags: tuple[str, ...]) -> str:
    """Return the attribute that stands for the device that `flags` compile for; empty where none does."""
    devices = _devices(flags)
    found = re.search(r"\[(#hal\.executable\.target<.*>)\]>", devices[0]) if devices else None
    return found.group(1) if found else ""


def _devices(flags: tuple[str, ...]) -> list[str]:
    """Return what IREE says of the devices that it compiles for, read from a function that it has begun."""
    from iree.compiler import ir

    session = open_session(flags)
    with session.context, ir.Location.unknown():
        module = ir.Module.parse(_ANY_FUNCTION)
        try:
            _invoke(session, module, stop="preprocessing")
        except CodegenError:
            return []
        devices = [op.operation for op in module.body.operations if op.operation.name == "util.global"]
        return [str(d.attributes["initial_value"]) for d in devices if "initial_value" in d.attributes]


def _text(address: int, size: int) -> str:
    return ctypes.string_at(address, size).decode(errors="replace")


def _function(name: str, *arguments: Any) -> Any:
    """Return a function of the compiler's C interface that its Python bindings leave out."""
    from iree.compiler.api import ctypes_dl

    function = getattr(ctypes_dl._dylib, f"ireeCompilerInvocation{name}")
    function.argtypes = [ctypes.c_void_p, *arguments]
    function.restype = None
    return function


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
