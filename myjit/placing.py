"""Leave nodes of a graph to torch as a target and the options say, by cost where the target has costs.

Ops of which that is not known before the graph is are kept whole until then (`kept_whole`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any

from torch.fx import GraphModule, Node

from myjit.frontend.convolutions import quick_gradients
from myjit.frontend.decompose import decomposition_table
from myjit.frontend.inline import Table, decompose_nodes
from myjit.frontend.kernel_nodes import unserved, with_own_ops
from myjit.frontend.nodes import COMPILED, FASTER, is_named
from myjit.frontend.placement import place
from myjit.frontend.series import slow_series
from myjit.frontend.support import POOLING, Rejection, poolings_with_places, rejections
from myjit.frontend.whole_ops import take_others_apart
from myjit.graph.decompositions.pooling import place_by_place
from myjit.options import CompileOptions
from myjit.passes.pipeline import Pipeline
from myjit.targets.base import Target


def kept_whole(target: Target, options: CompileOptions) -> tuple[str, ...]:
    """Return the ops that AOTAutograd shall not decompose: they are torch's, or placed later."""
    if options.placement != "auto":
        return options.torch_executed_ops
    poolings = (str(POOLING),) if target.slow_places else ()
    return (*options.torch_executed_ops, *target.faster_in_torch, *target.series, *poolings)


def place_as_measured(gm: GraphModule, target: Target, pipeline: Pipeline, options: CompileOptions) -> None:
    """Mark scans, scatters and samplings that are faster in torch; decompose the others, and poolings and
    gradients of convolutions that are not.
    """
    table = decomposition_table(pipeline.decompositions())
    telling = poolings_with_places(gm)
    written_out = {**table, POOLING: partial(place_by_place, dims=2)}
    _compile(gm, {n for n in telling if _is_written_out(n, target, options)}, written_out)
    if options.placement != "auto":
        return
    slow = slow_series(gm, target.series)
    for node in slow:
        node.meta[FASTER] = True
    others = {n for n in gm.graph.nodes if str(n.target) in target.series} - slow
    if target.slow_places:
        others |= {*gm.graph.find_nodes(op="call_function", target=POOLING)} - telling
    if (gain := target.convolutions()) is not None:
        others |= quick_gradients(gm, gain)
    _compile(gm, others, table)


def _is_written_out(pooling: Node, target: Target, options: CompileOptions) -> bool:
    """Tell whether a pooling of known sizes that tells places is compiled, place by place.

    What it would be lowered to otherwise tells others of NaN. torch has vectors for it
    where channels lie last.
    """
    image: Any = pooling.args[0]
    value = image.meta["val"]
    known = all(isinstance(size, int) for size in value.shape)
    if not known or is_named(pooling, options.torch_executed_ops):
        return False
    return options.placement != "auto" or not target.slow_places or value.is_contiguous()


def _compile(gm: GraphModule, nodes: Collection[Node], table: Table) -> None:
    """Decompose some nodes, and mark what takes their place."""
    if nodes:
        kept = [n for n in gm.graph.nodes if n not in nodes]
        decompose_nodes(gm, table, kept)
        for node in set(gm.graph.nodes).difference(kept):
            node.meta[COMPILED] = True


def place_by_cost(
    gm: GraphModule, target: Target, pipeline: Pipeline, options: CompileOptions, *, role: str
) -> None:
    """Mark what runs in torch by its costs, and decompose the rest."""
    costs = target.costs
    assert costs is not None
    if role == "inference":
        costs = replace(costs, gaining=(*costs.gaining, *costs.gaining_in_inference))
    nodes = [n for n in gm.graph.nodes if n.op == "call_function"]
    rejected = rejected_nodes(gm, target, options)
    place(nodes, rejected, with_own_ops(costs))
    take_others_apart(gm, pipeline, {*rejected, *(n for n in nodes if FASTER in n.meta)})


def rejected_nodes(gm: GraphModule, target: Target, options: CompileOptions) -> dict[Node, Rejection]:
    """Return the nodes that are left to torch without asking the compiler."""
    found = rejections(
        gm,
        place=target.place(),
        torch_executed_ops=options.torch_executed_ops,
        faster_in_torch=target.faster_in_torch if options.placement == "auto" else (),
        convolutions=target.convolutions() if options.placement == "auto" else None,
        slow_places=target.slow_places and options.placement == "auto",
        lacking=target.lacks(),
    )
    return {**unserved(gm), **found} if target.kernels else found
