"""A part taken out of a graph computes what it computed there."""

from __future__ import annotations

import torch
from torch.fx import Graph, GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.frontend.extract import attribute, extract


def traced(function, *args):
    gm = make_fx(function, tracing_mode="fake")(*args)
    return gm, [n for n in gm.graph.nodes if n.op == "call_function"]


def test_inputs_outputs_and_values():
    gm, (sin, cos, add) = traced(lambda x, y: x.sin().cos() + y, torch.randn(3), torch.randn(3))
    part = extract(gm, [cos, add])
    assert part.inputs == (sin, gm.graph.find_nodes(op="placeholder")[1])
    assert part.outputs == (add,)
    x, y = torch.randn(3), torch.randn(3)
    assert torch.equal(part.module(x, y)[0], x.cos() + y)


def test_the_graphs_own_inputs_stay_in_order():
    gm, nodes = traced(lambda x, y: y.sin() + x, torch.randn(3), torch.randn(3))
    x, y = gm.graph.find_nodes(op="placeholder")
    assert extract(gm, nodes).inputs == (x, y)
    assert extract(gm, nodes[1:]).inputs == (nodes[0], x)


def test_what_is_used_outside_is_an_output():
    gm, nodes = traced(lambda x: x.sin().cos() + x.exp(), torch.randn(3))
    sin, last = nodes[0], nodes[-1]
    assert extract(gm, [sin]).outputs == (sin,)
    assert extract(gm, nodes).outputs == (last,)
    assert extract(gm, nodes, kept=[sin]).outputs == (sin, last)


def test_small_constants_are_copied_and_large_ones_are_inputs():
    for count, inputs in ((32, 1), (33, 2)):
        constant = torch.randn(count, dtype=torch.float64)
        graph = Graph()
        x, weight = graph.placeholder("x"), graph.get_attr("weight")
        total = graph.call_function(torch.ops.aten.add.Tensor, (x, weight))
        total.meta["val"] = constant
        graph.output((total,))
        gm = GraphModule({"weight": constant}, graph)
        part = extract(gm, [total])
        assert len(part.inputs) == inputs
        assert all(torch.equal(attribute(gm, n), constant) for n in part.inputs if n.op == "get_attr")
