"""Parts run in an order that respects what they need, and are as few as they can be."""

from __future__ import annotations

import operator

import pytest
import torch
from torch.fx import Graph, Node

from myjit.frontend.partition import halves, partition

aten = torch.ops.aten


def chain(*targets) -> list[Node]:
    graph = Graph()
    node = graph.placeholder("x")
    nodes = []
    for target in targets:
        node = graph.call_function(target, (node,))
        nodes.append(node)
    return nodes


def test_neighbours_of_one_kind_are_one_part():
    a, b, c, d = nodes = chain(*[aten.sin.default] * 4)
    assert [(p.compiled, p.nodes) for p in partition(nodes, {b, c})] == [
        (True, (a,)),
        (False, (b, c)),
        (True, (d,)),
    ]


def test_independent_branches_share_a_part():
    graph = Graph()
    x = graph.placeholder("x")
    left, right = (graph.call_function(aten.sin.default, (x,)) for _ in range(2))
    rejected = [graph.call_function(aten.cos.default, (side,)) for side in (left, right)]
    joined = graph.call_function(aten.add.Tensor, tuple(rejected))
    parts = partition([left, right, *rejected, joined], set(rejected))
    assert [p.nodes for p in parts] == [(left, right), tuple(rejected), (joined,)]


def test_a_path_through_torch_never_makes_a_circle():
    graph = Graph()
    x = graph.placeholder("x")
    first = graph.call_function(aten.sin.default, (x,))
    middle = graph.call_function(aten.cos.default, (first,))
    last = graph.call_function(aten.add.Tensor, (first, middle))
    done = set()
    for part in partition([first, middle, last], {middle}):
        needed = {n for node in part.nodes for n in node.all_input_nodes if n.op != "placeholder"}
        assert needed <= done | set(part.nodes)
        done |= set(part.nodes)
    assert done == {first, middle, last}


def test_views_that_torch_alone_reads_run_in_torch():
    graph = Graph()
    x = graph.placeholder("x")
    first = graph.call_function(aten.sin.default, (x,))
    turned = graph.call_function(aten.t.default, (first,))
    part = graph.call_function(aten.slice.Tensor, (turned, 0, 1, 3))
    rejected = graph.call_function(aten.cos.default, (part,))
    both = graph.call_function(aten.t.default, (first,))
    joined = graph.call_function(aten.mul.Tensor, (rejected, both))
    parts = partition([first, turned, part, rejected, both, joined], {rejected})
    assert [p.nodes for p in parts] == [(first,), (turned, part, rejected), (both, joined)]


def test_random_numbers_keep_their_order():
    graph = Graph()
    x = graph.placeholder("x")
    a = graph.call_function(aten.bernoulli.default, (x,))
    b = graph.call_function(aten.sin.default, (a,))
    c = graph.call_function(aten.bernoulli.default, (b,))
    d = graph.call_function(aten.bernoulli.default, (x,))
    parts = partition([a, b, c, d], {a, c, d})
    order = [n for p in parts for n in p.nodes]
    assert order.index(a) < order.index(c) < order.index(d)


def test_halves_keep_results_with_their_op():
    graph = Graph()
    x = graph.placeholder("x")
    a = graph.call_function(aten.sin.default, (x,))
    b = graph.call_function(aten.max.dim, (a, 0))
    c, d = (graph.call_function(operator.getitem, (b, i)) for i in range(2))
    assert halves([a, b, c, d]) == ((a, b, c, d), ()) or halves([a, b, c, d])[0] == (a, b, c, d)
    assert halves([a, c]) == ((a,), (c,))


def test_what_comes_from_a_parameter_alone_sinks_to_its_use():
    graph = Graph()
    x, w = graph.placeholder("x"), graph.placeholder("w")
    first = graph.call_function(aten.sin.default, (x,))
    cast = graph.call_function(aten.neg.default, (w,))
    turned = graph.call_function(aten.t.default, (cast,))
    rejected = graph.call_function(aten.cos.default, (first,))
    joined = graph.call_function(aten.mul.Tensor, (rejected, turned))
    parts = partition([first, cast, turned, rejected, joined], {rejected})
    assert [p.nodes for p in parts] == [(first,), (rejected,), (cast, turned, joined)]


def test_results_of_an_op_of_several_stay_with_it():
    graph = Graph()
    x = graph.placeholder("x")
    both = graph.call_function(aten.var_mean.correction, (x,))
    both.meta["val"] = (torch.ones(()), torch.ones(()))
    one, other = (graph.call_function(operator.getitem, (both, i)) for i in range(2))
    rejected = graph.call_function(aten.cos.default, (one,))
    joined = graph.call_function(aten.add.Tensor, (rejected, other))
    parts = partition([both, one, other, rejected, joined], {rejected})
    assert [p.nodes for p in parts] == [(both, one, other), (rejected,), (joined,)]


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_ops_in_torch_see_how_views_lie_in_memory(compiled):
    @torch.library.custom_op("myjit_tests::strides", mutates_args=())
    def strides(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(x.stride(), device=x.device)

    strides.register_fake(lambda x: x.new_empty(x.dim(), dtype=torch.int64))

    def function(x):
        return strides((x + 1).t()[1:3]), strides((x * 2)[None].expand(4, -1, -1))

    x = torch.randn(5, 7)
    for actual, expected in zip(compiled(function, fallback="eager")(x), function(x), strict=True):
        assert torch.equal(actual, expected)


def test_what_changes_memory_comes_after_all_before_it_and_before_all_after():
    graph = Graph()
    x = graph.placeholder("x")
    before = graph.call_function(aten.sin.default, (x,))
    resize = graph.call_function(torch.ops.inductor.resize_storage_bytes_.default, (x, 0))
    after = graph.call_function(aten.cos.default, (before,))
    other = graph.call_function(aten.exp.default, (x,))
    parts = partition([before, resize, after, other], {resize})
    assert [p.nodes for p in parts] == [(before,), (resize,), (after, other)]


def test_memory_given_back_and_taken_anew():
    def function(x, new):
        y = x.sin()
        x.untyped_storage().resize_(0)
        x.untyped_storage().resize_(400)
        with torch.no_grad():
            x.copy_(new)
        return y, y.sum()

    x = torch.randn(100)
    run = torch.compile(function, backend="myjit_mlir", options={"placement": "compiled"})
    expected = x.sin()
    actual, total = run(x, torch.zeros(100))
    torch.testing.assert_close(actual, expected)
    torch.testing.assert_close(total, expected.sum())
    assert not x.any()
