"""Run the stages of one level on an MLIR module, timed and with typed errors."""

from __future__ import annotations

import time
from typing import Any

from myjit.errors import MyjitError, PassError
from myjit.mlir.diagnostics import attached, collect
from myjit.passes.pipeline import Pipeline


def run_level(pipeline: Pipeline, level: str, module: Any) -> dict[str, float]:
    """Run every stage of `level` on `module`, in place; return seconds by stage.

    Raises:
        PassError: a pass failed; names the pass, the stage and the passes that ran before.
        ContractError: a stage ended with operations that its contract does not allow.
    """
    seconds: dict[str, float] = {}
    done: list[str] = []
    for stage in pipeline.level(level):
        start = time.perf_counter()
        for item in stage.passes:
            _run_pass(item, stage.name, module, done)
            done.append(item.name)
        if stage.ensures is not None:
            stage.ensures.check(module, stage.name)
        seconds[stage.name] = time.perf_counter() - start
    return seconds


def _run_pass(item: Any, stage: str, module: Any, done: list[str]) -> None:
    with collect(module.context) as diagnostics, module.context, module.operation.location:
        try:
            item.run(module)
        except MyjitError:
            raise
        except Exception as error:  # a pass may raise anything: the boundary types it, once
            found = (*attached(error), *(d for d in diagnostics if d.severity == "error"))
            message = found[0].message if found else f"{type(error).__name__}: {error}".splitlines()[0]
            raise PassError(
                f"pass {item.name!r} of stage {stage!r} failed: {message} "
                f"(ran before it: {', '.join(done) or 'nothing'})",
                stage=stage,
                diagnostics=found,
            ) from error
