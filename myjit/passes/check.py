"""Check that every pass of a pipeline exists and takes its options, before anything runs."""

from __future__ import annotations

from myjit.errors import SpecError
from myjit.mlir.native_passes import native_names, native_refusal, side_of
from myjit.passes.base import FxPass, NativePass, Pass
from myjit.passes.pipeline import PIPELINES, Pipeline
from myjit.passes.registered import GRAPH_PASSES, PASSES
from myjit.registry import did_you_mean


def check_pipeline(pipeline: Pipeline) -> None:
    """Raise for the first pass that does not exist.

    Raises:
        SpecError: naming the stage, the pass, and the nearest name.
        RegistryError: a graph pass that does not exist.
    """
    known = _passes_of_namesake(pipeline)
    for index, stage in enumerate(pipeline.stages):
        for item in stage.passes:
            if (stage.level, item) in known:
                continue
            reason = why_not(item, stage.level)
            if reason:
                raise PassSpecError(f"stage {stage.name!r}: {reason}", index, item.spec())


def _passes_of_namesake(pipeline: Pipeline) -> set[tuple[str, Pass]]:
    """Return the passes of the installed pipeline of that name, by level.

    Most pipelines are edits of an installed one, whose passes exist: asking MLIR again would import it,
    even where everything to compile is in the cache.
    """
    if pipeline.name not in PIPELINES.installed():
        return set()
    namesake = PIPELINES.get(pipeline.name)
    return {(s.level, p) for s in namesake.stages for p in s.passes if isinstance(p, NativePass)}


class PassSpecError(SpecError):
    """A pass that does not exist; `stage_index` and `text` say where in the pipeline."""

    def __init__(self, message: str, stage_index: int, text: str) -> None:
        super().__init__(message)
        self.stage_index = stage_index
        self.text = text


def why_not(item: Pass, level: str) -> str:
    """Say why a pass cannot run at `level`; empty when it can."""
    if isinstance(item, FxPass) and item.name not in GRAPH_PASSES.names():
        return f"no graph pass called {item.name!r}.{did_you_mean(item.name, GRAPH_PASSES.names())}"
    if level == "fx" and isinstance(item, NativePass):
        return f"{item.name!r} is an MLIR pass, and the fx level runs before there is MLIR"
    if not isinstance(item, NativePass):
        return ""
    side = side_of(level)
    reason, unknown = native_refusal(item.text, side)
    if not unknown:
        return f"{item.text!r}: {reason}" if reason else ""
    return f"no pass called {unknown!r}.{did_you_mean(unknown, (*PASSES.names(), *native_names(side)))}"
