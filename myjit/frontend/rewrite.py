"""Run the fx level of a pipeline on a graph."""

from __future__ import annotations

import time

from torch.fx import GraphModule

from myjit.counters import STATISTICS
from myjit.passes.base import Decompositions, FxPass
from myjit.passes.pipeline import Pipeline
from myjit.passes.registered import GRAPH_PASSES


def rewrite(gm: GraphModule, pipeline: Pipeline) -> None:
    """Run the pipeline's graph passes in place, checking the graph after each.

    The decompositions are skipped: AOTAutograd has already applied them while it traced.
    """
    start = time.perf_counter()
    for stage in pipeline.level("fx"):
        for item in stage.passes:
            if isinstance(item, Decompositions):
                continue
            run = GRAPH_PASSES.get(item.name) if isinstance(item, FxPass) else item.run
            run(gm)
            gm.graph.lint()
    gm.recompile()
    STATISTICS.add_seconds("rewrite", time.perf_counter() - start)
