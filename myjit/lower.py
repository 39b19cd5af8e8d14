"""Torch-dialect bytecode to VMFB: one pure function of bytes and values, run in the worker."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from myjit import codegen
from myjit.errors import CodegenError
from myjit.mlir import context as mlir
from myjit.passes.pipeline import Pipeline
from myjit.passes.runner import run_level


@dataclass(frozen=True)
class CompileRequest:
    """What to compile: a module in the torch dialect (bytecode), the pipeline, the target's flags."""

    bytecode: bytes
    pipeline: Pipeline
    target_flags: tuple[str, ...]
    dump: str = ""


@dataclass(frozen=True)
class CompileReply:
    """The compiled module, the seconds each stage took, and the rung of flags that worked (0: preferred)."""

    vmfb: bytes
    seconds: dict[str, float] = field(default_factory=dict)
    rung: int = 0


def lower_and_codegen(request: CompileRequest, report: Callable[[str], None]) -> CompileReply:
    """Lower and compile a request; `report` is told each step before it starts.

    Raises:
        PassError, ContractError: the lowering refused the module.
        CodegenError: IREE refused it with every set of flags.
    """
    pipeline = request.pipeline
    report("lower")
    module = mlir.parse(request.bytecode, mlir.new_context())
    seconds = run_level(pipeline, "torch", module)
    seconds |= run_level(pipeline, "linalg", module)
    linalg = mlir.to_bytecode(module)
    if request.dump:
        _dump(request, linalg)

    start = time.perf_counter()
    ladder = ((), *pipeline.safer_flags)
    for rung, extra in enumerate(ladder):
        report("codegen")
        session = codegen.open_session((*request.target_flags, *pipeline.flags, *extra))
        module = mlir.parse(linalg, session.context)
        run_level(pipeline, "iree", module)
        try:
            vmfb = codegen.compile_module(session, module)
        except CodegenError:
            if rung == len(ladder) - 1:
                raise
            continue
        seconds["codegen"] = time.perf_counter() - start
        return CompileReply(vmfb, seconds, rung)
    raise AssertionError("the ladder has at least one rung")


def _dump(request: CompileRequest, linalg: bytes) -> None:
    """Write the module before and after lowering, as text, into the request's folder."""
    import hashlib
    from pathlib import Path

    folder = Path(request.dump)
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(request.bytecode).hexdigest()[:12]
    for level, source in (("torch", request.bytecode), ("linalg", linalg)):
        text = str(mlir.parse(source, mlir.new_context()))
        (folder / f"{name}.{level}.mlir").write_text(text)
