"""Views with dynamic sizes are right at every size, above all where torch-mlir gets them wrong."""

from __future__ import annotations

import pytest
import torch
from torch.fx import Graph, GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

import myjit
from myjit.errors import FallbackWarning
from myjit.frontend.nodes import MISCOMPILED
from myjit.graph import dynamic_views
from myjit.graph.dynamic_views import Group, groups

SIZES = [(3, 5), (4, 7), (2, 9), (1, 6), (5, 1)]

#: A function, and the shape of its argument for sizes a and b.
VIEWS = {
    "join": (lambda x: x.view(x.shape[0] * x.shape[1], 8), lambda a, b: (a, b, 8)),
    "join-by-minus-one": (lambda x: x.reshape(-1, 8), lambda a, b: (a, b, 8)),
    "join-all": (lambda x: x.reshape(-1), lambda a, b: (a, b, 8)),
    "split-heads": (lambda x: x.view(x.shape[0], x.shape[1], 2, 4), lambda a, b: (a, b, 8)),
    "merge-heads": (lambda x: x.transpose(1, 2).reshape(x.shape[0], -1, 8), lambda a, b: (a, 2, b, 4)),
    "batch-heads": (lambda x: x.reshape(x.shape[0] * 2, x.shape[2], 4), lambda a, b: (a, 2, b, 4)),
    "unbatch-heads": (lambda x: x.view(x.shape[0] // 2, 2, x.shape[1], 4), lambda a, b: (2 * a, b, 4)),
    "swap-sizes": (lambda x: x.view(x.shape[1], x.shape[0], 8), lambda a, b: (a, b, 8)),
    "ones": (lambda x: x.view(x.shape[0], 1, x.shape[1], 1, 8), lambda a, b: (a, b, 8)),
    "patches": (
        lambda x: (
            x.view(x.shape[0], x.shape[1] // 2, 2, 2, 3).permute(0, 1, 3, 2, 4).reshape(x.shape[0], -1, 3)
        ),
        lambda a, b: (a, 2 * b, 6),
    ),
    "split-by-minus-one": (lambda x: x.view(-1, 4, x.shape[1]), lambda a, b: (4 * a, b)),
    "flatten-middle": (lambda x: x.flatten(1, 2), lambda a, b: (a, b, 3, 2)),
}


#: Views of arguments of the same shape: those of a group are compiled as one program.
GROUPS = [
    ["join", "join-by-minus-one", "join-all", "split-heads", "swap-sizes", "ones"],
    ["merge-heads", "batch-heads"],
    ["unbatch-heads"],
    ["patches"],
    ["split-by-minus-one"],
    ["flatten-middle"],
]
assert sorted(name for names in GROUPS for name in names) == sorted(VIEWS)


@pytest.mark.parametrize("names", GROUPS, ids="+".join)
def test_views(compiled, subtests, names):
    def function(x):
        return {name: VIEWS[name][0](x * 2) + 1 for name in names}

    run = compiled(function, dynamic=True)
    for a, b in SIZES:
        shapes = {VIEWS[name][1](a, b) for name in names}
        assert len(shapes) == 1
        x = torch.randn(shapes.pop())
        actual, expected = run(x), function(x)
        for name in names:
            with subtests.test(name, a=a, b=b):
                assert torch.equal(actual[name], expected[name])


@pytest.mark.parametrize("batch_first", [True, False])
def test_multihead_attention_with_two_dynamic_sizes(compiled, batch_first):
    attention = torch.nn.MultiheadAttention(8, 2, batch_first=batch_first)
    run = compiled(lambda x: attention(x, x, x)[0], dynamic=True)
    with torch.no_grad():
        for a, b in SIZES[:3]:
            x = torch.randn(a, b, 8)
            torch.testing.assert_close(run(x), attention(x, x, x)[0], rtol=1e-4, atol=1e-5)
    assert myjit.stats()["partitions"] == 1


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((2, 3), (6,), [((0, 2), (0, 1))]),
        ((6,), (2, 3), [((0, 1), (0, 2))]),
        ((4, 6), (8, 3), [((0, 2), (0, 2))]),
        ((4, 6), (4, 2, 3), [((0, 1), (0, 1)), ((1, 2), (1, 3))]),
        ((4, 1, 6), (4, 6), [((0, 1), (0, 1)), ((1, 3), (1, 2))]),
        ((4,), (1, 4, 1), [((0, 1), (0, 3))]),
        ((4, 1, 1), (4,), [((0, 3), (0, 1))]),
    ],
)
def test_groups(before, after, expected):
    wanted = [Group(range(*inputs), range(*outputs)) for inputs, outputs in expected]
    assert groups(before, after) == wanted


def test_a_size_that_nothing_tells_is_left_to_torch():
    gm = make_fx(lambda x: x.view(-1, 4), tracing_mode="symbolic")(torch.randn(8, 6))
    stranger = make_fx(lambda x: x.view(-1, 4), tracing_mode="symbolic")(torch.randn(8, 6))
    view = next(n for n in gm.graph.nodes if n.target is torch.ops.aten.view.default)
    other = next(n for n in stranger.graph.nodes if n.op == "placeholder")
    for node in gm.graph.find_nodes(op="placeholder"):
        node.meta["val"] = other.meta["val"][:0].sum()
    dynamic_views.run(gm)
    assert "dynamic sizes" in view.meta[MISCOMPILED]


def test_static_views_stay():
    graph = Graph()
    x = graph.placeholder("x")
    x.meta["val"] = torch.empty(2, 3)
    view = graph.call_function(torch.ops.aten.view.default, (x, [6]))
    view.meta["val"] = torch.empty(6)
    graph.output(view)
    gm = GraphModule({}, graph)
    dynamic_views.run(gm)
    assert view in gm.graph.nodes


def test_of_no_elements(compiled):
    def function(x):
        return torch.nn.functional.unfold(x, 2)

    x = torch.randn(0, 1, 5, 5)
    assert compiled(function, dynamic=True)(x).shape == function(x).shape


def test_a_view_of_permuted_dimensions_lies_in_memory_as_they_do(compiled):
    def function(x, y):
        return torch.einsum("blhd,bshd->blhs", x, y)

    x, y = torch.randn(3, 4, 5, 6), torch.randn(3, 7, 5, 6)
    assert compiled(function, dynamic=True)(x, y).stride() == function(x, y).stride()


def test_no_dimensions_on_one_side():
    def function(x, k):
        return x.topk(k).values

    x = torch.tensor(3.0)
    run = torch.compile(function, backend="myjit_mlir", dynamic=True)
    with pytest.warns(FallbackWarning):
        assert run(x, 1).shape == function(x, 1).shape == ()
