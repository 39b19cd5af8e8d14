"""Torch-dialect bytecode to VMFB: one pure function of bytes and values, run in the worker."""

from __future__ import annotations

import getpass
import hashlib
import logging
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from myjit import codegen
from myjit.errors import CodegenError, IRError, MyjitError, PassError, PassFaultError
from myjit.mlir import context as mlir
from myjit.mlir.external_call import TARGET_ATTRIBUTE
from myjit.mlir.libraries import allow_use
from myjit.mlir.panels import PROCESSOR
from myjit.passes.dump import Dump, Override
from myjit.passes.instrument import Instrument, Steps, VerifyEach, text_of
from myjit.passes.pipeline import IREE_PHASES, PIPELINES, Pipeline
from myjit.passes.runner import Watch, run_level, run_stages

log = logging.getLogger(__name__)

#: IREE computes some values once, when a module is loaded, and keeps them; launches have no such time.
_NOTHING_KEPT = "--iree-opt-const-expr-hoisting=false"


@dataclass(frozen=True)
class CompileRequest:
    """What to compile: a module in the torch dialect (bytecode), the pipeline, the target's flags.

    `dump` and `override` are folders; each module has a folder in them, named after its content.
    `describe` asks for the processor that the code is for. `seconds` is the time limit of each pass that
    is not myjit's own. `launches` asks for launches in place of a module, where the host only sends them.
    `libraries` names what of its process the code may use.
    """

    bytecode: bytes
    pipeline: Pipeline
    target_flags: tuple[str, ...]
    dump: str = ""
    override: str = ""
    describe: bool = False
    seconds: float | None = None
    launches: bool = False
    libraries: tuple[str, ...] = ()

    def after_torch(self) -> CompileRequest:
        """Leave the fx level out: it has run already, and its passes may exist in one process only."""
        return replace(self, pipeline=self.pipeline.only("torch", "linalg", "iree", *IREE_PHASES))


@dataclass(frozen=True)
class CompileReply:
    """The compiled module (or launches), the seconds by stage.

    `refusal` is why IREE took the program with safer flags only, empty where it took the preferred ones.
    `processor` is what the code needs, where the request asked: architecture and LLVM's feature list.
    """

    vmfb: bytes
    seconds: dict[str, float] = field(default_factory=dict)
    refusal: str = ""
    processor: tuple[str, str] = ("", "")


def lower_and_codegen(request: CompileRequest, report: Callable[[str], None]) -> CompileReply:
    """Lower and compile a request; `report` is told each step before it starts.

    Raises:
        PassError, ContractError: the lowering refused the module.
        CodegenError: IREE refused it with every set of flags.
    """
    report("lower")
    watch = _watch(request, report)
    linalg, seconds = _lower(request, watch)
    start = time.perf_counter()
    refusal = ""
    ladder = Ladder(request.pipeline)
    while True:
        report("codegen")
        pipeline = ladder.pipeline
        flags = (*request.target_flags, *pipeline.flags)
        try:
            vmfb = _launches(linalg, flags, watch, pipeline) if request.launches else b""
            vmfb = vmfb or _module(linalg, request.libraries, flags, watch, pipeline)
        except CodegenError as error:
            if not ladder.climbs_down(error):
                raise
            refusal = refusal or str(error).splitlines()[0]
            continue
        seconds["codegen"] = time.perf_counter() - start
        processor = codegen.processor(request.target_flags) if request.describe else ("", "")
        return CompileReply(vmfb, seconds, refusal, processor)


class Ladder:
    """A pipeline, then others that make slower code of what IREE, or a pass, refuses."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self._flags = [(*pipeline.flags, *flags) for flags in pipeline.safer_flags]

    def climbs_down(self, error: CodegenError) -> bool:
        """Take the next pipeline, and tell whether there is one."""
        if error.without and self.pipeline.holds(error.without):
            self.pipeline = self.pipeline.without(error.without)
            return True
        if not self._flags:
            return False
        self.pipeline = replace(self.pipeline.plain(), flags=self._flags.pop(0))
        return True


def _module(
    linalg: bytes, libraries: tuple[str, ...], flags: tuple[str, ...], watch: Watch, pipeline: Pipeline
) -> bytes:
    """Compile to a VMFB."""
    session = codegen.open_session(flags)
    module = _hand_over(linalg, session.context)
    allow_use(module, libraries)
    if pipeline.holds("multiply-by-panels"):  # convolutions are written for it
        processor = codegen.executable_target(flags)
        if processor:
            mlir.set_attribute(module, PROCESSOR, processor)
    module = run_level(pipeline, "iree", module, watch).module
    return codegen.compile_module(session, module, _between(pipeline, watch))


def _launches(linalg: bytes, flags: tuple[str, ...], watch: Watch, pipeline: Pipeline) -> bytes:
    """Compile to launches; empty where the program is none.

    The passes see the device's executable target, as an attribute of the module: what they make of it may
    run as launches only, so a module is compiled anew, also where IREE refuses what they made.
    """
    session = codegen.open_session((*flags, _NOTHING_KEPT))
    module = _hand_over(linalg, session.context)
    if "?" in _signature(module):
        return b""  # the host computes with sizes
    mlir.set_attribute(module, TARGET_ATTRIBUTE, codegen.executable_target(flags))
    module = run_level(pipeline, "iree", module, watch).module
    try:
        launches = codegen.compile_launches(session, module, _between(pipeline, watch))
    except CodegenError as error:
        log.debug("no launches: %s", error)
        return b""
    return launches.to_bytes() if launches is not None else b""


def _between(pipeline: Pipeline, watch: Watch) -> dict[str, Callable[[Any], Any]]:
    """Return, by phase of IREE, what runs the pipeline's stages after it."""
    return {
        phase: lambda module, level=level: run_level(pipeline, level, module, watch).module
        for level, phase in IREE_PHASES.items()
        if pipeline.level(level)
    }


def _signature(module: Any) -> str:
    """Return the types of a module's functions, as text."""
    functions = (op.operation for op in module.body.operations)
    return " ".join(str(f.attributes["function_type"]) for f in functions if "function_type" in f.attributes)


def lowered(request: CompileRequest) -> CompileRequest:
    """Run the levels before IREE in this process; return the request for what is left."""
    bytecode, _ = _lower(request, _watch(request, lambda step: None))
    left = request.pipeline.only("iree", *IREE_PHASES)
    return replace(request, bytecode=bytecode, pipeline=left, dump="", override="")


def _lower(request: CompileRequest, watch: Watch) -> tuple[bytes, dict[str, float]]:
    """Run the levels before IREE; return the module's bytecode and the seconds by stage."""
    stages = (*request.pipeline.level("torch"), *request.pipeline.level("linalg"))
    if not stages:  # another process has run them, whose context knows what it has made
        return request.bytecode, {}
    try:
        module = mlir.parse(request.bytecode, mlir.new_context())
    except IRError as error:  # the importer wrote an op that its own verifier refuses
        raise PassError(str(error), stage="lower", diagnostics=error.diagnostics) from error
    run = run_stages(stages, module, watch)
    _require_lowered(run.module)
    return mlir.to_bytecode(run.module), run.seconds


def _require_lowered(module: Any) -> None:
    """Let nothing go to IREE that it would take for a program of another calling convention."""
    types = _signature(module)
    if not types:
        raise PassFaultError("no function is left after the passes of the torch and linalg levels")
    if "!torch." in types:
        raise PassFaultError(f"no pass, such as torch-to-linalg, has lowered the program's tensors: {types}")


def _hand_over(linalg: bytes, context: object) -> object:
    """Read the lowered module into IREE's context."""
    try:
        return mlir.parse(linalg, context)
    except IRError as error:
        raise PassError(
            f"IREE cannot read the lowered module: {error}", stage="hand-over", diagnostics=error.diagnostics
        ) from error


def _watch(request: CompileRequest, report: Callable[[str], None]) -> Watch:
    instruments: list[Instrument] = [VerifyEach(), Steps(report)]
    name = hashlib.sha256(request.bytecode).hexdigest()[:12]
    if request.override:
        instruments += [Override(Path(request.override) / name), Override(Path(request.override))]
    if request.dump:
        instruments.append(Dump(Path(request.dump) / name))
    return Watch(tuple(instruments), reproducer_folder(), request.seconds)


def save_crash(request: CompileRequest) -> str:
    """Save the input of a compile that ended its process; return the path, empty when it cannot be."""
    pipeline = request.pipeline
    known = pipeline.name in PIPELINES.installed()
    name = pipeline.name if known else "cpu"
    note = "" if known else f" (it ran with a pipeline of the program's own, {pipeline.name!r})"
    folder = reproducer_folder()
    path = folder / f"crash-{hashlib.sha256(request.bytecode).hexdigest()[:12]}.mlir"
    try:
        text = text_of(mlir.parse(request.bytecode, mlir.new_context()))
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// myjit build {path} --pipeline {name}{note}\n{text}", encoding="utf-8")
    except (MyjitError, OSError) as error:
        log.warning("no reproducer could be written: %s", error)
        return ""
    return str(path)


@cache
def reproducer_folder() -> Path:
    """Return where reproducers are saved: a folder of the user's own among temporary files."""
    return Path(tempfile.gettempdir()) / f"myjit-{getpass.getuser()}" / "reproducers"
