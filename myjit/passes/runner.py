"""Run stages on an MLIR module, watched by instruments, with typed errors."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from myjit.errors import CodegenError, CompileError, Diagnostic, IRError, PassError, PassFaultError
from myjit.mlir.context import to_bytecode
from myjit.mlir.diagnostics import attached, collect
from myjit.passes.base import NativePass, Pass, is_foreign
from myjit.passes.deadline import Deadline, TimeIsUpError
from myjit.passes.instrument import Instrument, VerifyEach
from myjit.passes.pipeline import Pipeline, Stage
from myjit.passes.reproducer import Failure, save_reproducer

log = logging.getLogger(__name__)


@dataclass
class Run:
    """What a run gave: the module, seconds by stage, warnings and remarks, and the passes that ran."""

    module: Any
    seconds: dict[str, float] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


#: What the error of a pass of myjit's own says that raised, or left invalid IR.
OWN_FAULT = "a fault of myjit"


@dataclass(frozen=True)
class Watch:
    """How to run: the instruments, and the folder for reproducers (None writes none).

    `seconds` is the time limit of each Python pass that is not myjit's own (None: there is none).
    """

    instruments: tuple[Instrument, ...] = (VerifyEach(),)
    reproducers: Path | None = None
    seconds: float | None = None

    def limit(self, item: Pass) -> AbstractContextManager[None]:
        """Return the context to run a pass in."""
        return Deadline(self.seconds) if self.seconds is not None and is_foreign(item) else nullcontext()


def run_level(pipeline: Pipeline, level: str, module: Any, watch: Watch = Watch()) -> Run:
    """Run every stage of `level` on `module`."""
    return run_stages(pipeline.level(level), module, watch)


def run_stages(stages: Sequence[Stage], module: Any, watch: Watch = Watch()) -> Run:
    """Run `stages` on `module`, in place unless an instrument replaces it.

    Raises:
        CodegenError: a pass asks for another pipeline, or one of myjit's own failed that is there for speed.
        PassError: a pass failed; names the pass, the stage and the passes that ran before.
        ContractError: a stage ended with operations that its contract does not allow.
    """
    run = Run(module)
    source = to_bytecode(module) if watch.reproducers is not None and stages else b""
    for instrument in watch.instruments:
        instrument.before_stages(module)
    for number, stage in enumerate(stages):
        start = time.perf_counter()
        try:
            _run_stage(stage, run, watch)
        except _Failed as failed:
            error = failed.error
            if watch.reproducers is not None and _is_news(error, failed.failure.item):
                _save(error, watch.reproducers, source, stages[:number], failed.failure)
            raise error from failed.__cause__
        run.seconds[stage.name] = time.perf_counter() - start
    return run


class _Failed(Exception):
    """Carries an error to where the reproducer is written."""

    def __init__(self, error: CompileError, failure: Failure) -> None:
        super().__init__()
        self.error = error
        self.failure = failure


def _run_stage(stage: Stage, run: Run, watch: Watch) -> None:
    for index, item in enumerate(stage.passes):
        _run_pass(Failure(stage, index), run, watch)
        run.done.append(item.name)
    if stage.ensures is not None:
        try:
            stage.ensures.check(run.module, stage.name)
        except CompileError as error:
            raise _Failed(error, Failure(stage, len(stage.passes))) from error.__cause__
    for instrument in watch.instruments:
        run.module = instrument.after_stage(stage, run.module)


def _run_pass(place: Failure, run: Run, watch: Watch) -> None:
    stage, item, module = place.stage, place.item, run.module
    assert item is not None
    for instrument in watch.instruments:
        instrument.before_pass(stage, item)
    start, ended = time.perf_counter(), False
    with collect(module.context) as diagnostics, module.context, module.operation.location:
        try:
            with watch.limit(item):
                item.run(module)
            seconds, ended = time.perf_counter() - start, True
            for instrument in watch.instruments:
                instrument.after_pass(stage, item, module, seconds)
        except TimeIsUpError as error:
            message = f"it did not end within {watch.seconds:g} s"
            late = replace(place, seconds=watch.seconds)
            raise _Failed(_pass_error(place, run, (), message), late) from error
        except CodegenError:  # the pass asks for another pipeline
            raise
        except (PassError, IRError) as error:  # they carry what MLIR said
            found = [*error.diagnostics, *diagnostics]
            raise _Failed(_pass_error(place, run, found, str(error.args[0]), faulty=ended), place) from error
        except Exception as error:  # a pass may raise anything: the boundary types it, once
            found = [*attached(error), *diagnostics]
            message = f"{type(error).__name__}: {error}"
            raise _Failed(_pass_error(place, run, found, message, faulty=True), place) from error
    errors = [d for d in diagnostics if d.severity == "error"]
    if errors and not isinstance(item, NativePass):  # emitted, but not raised
        raise _Failed(_pass_error(place, run, errors, ""), place)
    run.diagnostics += diagnostics


def _pass_error(
    place: Failure, run: Run, diagnostics: Sequence[Diagnostic], said: str, *, faulty: bool = False
) -> CompileError:
    """Make the error of a failed pass: its own fault, unless it says which operations it refuses.

    A `faulty` one raised what is no error of a pass, or left invalid IR; the program is to be compiled
    without it where it is for speed.
    """
    item = place.item
    assert item is not None
    found = tuple(d for d in diagnostics if d.severity == "error")
    message = found[0].message if found else (said.splitlines() or [""])[0]
    refuses = not faulty and any(d.nodes for d in found)
    own = faulty and not is_foreign(item) and not isinstance(item, NativePass)
    if is_foreign(item) and not refuses:
        kind = PassFaultError
    else:
        kind = CodegenError if own and item.IS_TUNING else PassError
    failed = f"failed ({OWN_FAULT})" if own else "failed"
    error = kind(
        f"pass {item.name!r} of stage {place.stage.name!r} {failed}: {message} "
        f"(ran before it: {', '.join(run.done) or 'nothing'})",
        stage=place.stage.name,
        diagnostics=found,
    )
    if isinstance(error, CodegenError):
        error.without = item.name
    return error


def _is_news(error: CompileError, item: Pass | None) -> bool:
    """Tell whether a failure deserves a file.

    MLIR's own passes, and checks, refuse ops as a matter of course, and say which: those then run in torch.
    """
    refuses = item is None or isinstance(item, NativePass) or item.IS_CHECK
    return not error.nodes or not refuses


def _save(
    error: CompileError, folder: Path, source: bytes, before: Sequence[Stage], failure: Failure
) -> None:
    try:
        error.reproducer = save_reproducer(folder, source, before, failure)
    except Exception as second:  # noqa: BLE001 the first error matters more than the file about it
        log.warning("no reproducer could be written: %s", second)
