"""Take apart, once their part is known, the ops that were kept whole until then.

Taken apart earlier, an attention's products could come into the part before the one that its mask comes from.
"""

from __future__ import annotations

from collections.abc import Collection

from torch.fx import GraphModule, Node

from myjit.frontend.attention import ATTENTION
from myjit.frontend.decompose import decomposition_table
from myjit.frontend.extract import Extract
from myjit.frontend.inline import decompose_nodes
from myjit.frontend.rewrite import rewrite
from myjit.passes.pipeline import Pipeline

#: The ops that placement leaves whole.
WHOLE = (ATTENTION,)


def take_others_apart(gm: GraphModule, pipeline: Pipeline, kept: Collection[Node]) -> None:
    """Decompose a graph's nodes in place, by the pipeline's table, but these ops and the nodes in `kept`."""
    whole = {n for n in gm.graph.nodes if n.target in WHOLE}
    decompose_nodes(gm, decomposition_table(pipeline.decompositions()), {*kept, *whole})


def taken_apart(part: Extract, pipeline: Pipeline) -> Extract:
    """Decompose such ops of a part in place, by the pipeline's table; return the part."""
    nodes = list(part.module.graph.nodes)
    if any(n.target in WHOLE for n in nodes):
        table = decomposition_table(pipeline.decompositions())
        decompose_nodes(part.module, table, [n for n in nodes if n.target not in WHOLE])
        rewrite(part.module, pipeline)
    return part
