"""Run the fx level of a pipeline on a graph."""

from __future__ import annotations

import copy
import time

from torch.fx import GraphModule

from myjit.counters import STATISTICS
from myjit.errors import PassFaultError
from myjit.frontend import values
from myjit.passes.base import Decompositions, FxPass, Pass, is_foreign
from myjit.passes.deadline import Deadline, TimeIsUpError
from myjit.passes.pipeline import Pipeline, Stage
from myjit.passes.registered import GRAPH_PASSES


def rewrite(gm: GraphModule, pipeline: Pipeline, time_limit: float = 600.0) -> None:
    """Run the pipeline's graph passes in place, checking the graph after each.

    The decompositions are skipped: AOTAutograd has already applied them while it traced.

    Raises:
        PassFaultError: a pass that is not myjit's own raised, left an invalid graph, or took longer than
            `time_limit` seconds. The graph is what it was before that pass.
    """
    start = time.perf_counter()
    done: list[str] = []
    for stage in pipeline.level("fx"):
        for item in stage.passes:
            if isinstance(item, Decompositions):
                continue
            if _is_own(item):
                _run(gm, item)
            else:
                _run_foreign(gm, stage, item, time_limit, done)
            done.append(item.name)
    gm.recompile()
    STATISTICS.add_seconds("rewrite", time.perf_counter() - start)


def _is_own(item: Pass) -> bool:
    if isinstance(item, FxPass):
        return GRAPH_PASSES.get(item.name).__module__.startswith("myjit.")
    return not is_foreign(item)


def _run(gm: GraphModule, item: Pass) -> None:
    run = GRAPH_PASSES.get(item.name) if isinstance(item, FxPass) else item.run
    run(gm)
    gm.graph.lint()


def _run_foreign(gm: GraphModule, stage: Stage, item: Pass, time_limit: float, done: list[str]) -> None:
    """Run somebody else's pass, which may fail in any way."""
    before = copy.deepcopy(gm.graph)
    known, results = values.computed(gm.graph), values.returned(gm.graph)
    try:
        with Deadline(time_limit):
            _run(gm, item)
        values.refresh(gm, known, results)
    except (Exception, TimeIsUpError) as error:  # whatever a stranger's pass raises is typed here, once
        gm.graph = before
        late = isinstance(error, TimeIsUpError)
        said = f"it did not end within {time_limit:g} s" if late else f"{type(error).__name__}: {error}"
        raise PassFaultError(
            f"pass {item.name!r} of stage {stage.name!r} failed: {(said.splitlines() or [''])[0]} "
            f"(ran before it: {', '.join(done) or 'nothing'})",
            stage=stage.name,
        ) from error
