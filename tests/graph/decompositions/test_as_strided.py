"""Reading memory by strides: what shows a tensor as it is costs nothing, and all others are right."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from myjit.frontend.decompose import decomposition_table
from myjit.pipelines._stages import DECOMPOSITIONS

VIEWS = {
    "as it is": ((2, 3, 4), (12, 4, 1), 0),
    "another shape": ((6, 4), (4, 1), 0),
    "turned": ((4, 3, 2), (1, 4, 12), 0),
    "windows": ((9, 4), (2, 1), 0),
    "later": ((2, 3), (4, 1), 5),
    "repeated": ((3, 4), (0, 1), 0),
}


@pytest.mark.parametrize("name", VIEWS)
def test_values(compiled, name):
    x = torch.randn(2, 3, 4)
    run = compiled(lambda x: x.as_strided(*VIEWS[name]) * 2, fallback="eager")
    torch.testing.assert_close(run(x), x.as_strided(*VIEWS[name]) * 2)


def test_a_pooled_image_is_no_lookup():
    def function(x):
        return F.adaptive_avg_pool2d(x, 1) + 1

    x = torch.randn(2, 8, 5, 5).to(memory_format=torch.channels_last)
    table = decomposition_table(DECOMPOSITIONS)
    graph = torch.fx.experimental.proxy_tensor.make_fx(function, decomposition_table=table)(x).graph
    assert torch.ops.aten.as_strided.default not in {node.target for node in graph.nodes}


def test_gradients_of_a_pooled_image(compiled):
    def function(x):
        return F.adaptive_avg_pool2d(x, 1).square() + x.sum((2, 3), keepdim=True)

    x, y = (
        torch.arange(2 * 8 * 25.0)
        .view(2, 8, 5, 5)
        .sin()
        .to(memory_format=torch.channels_last)
        .requires_grad_()
        for _ in range(2)
    )
    compiled(function)(x).square().sum().backward()
    function(y).square().sum().backward()
    torch.testing.assert_close(x.grad, y.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("name", ["as it is", "another shape", "later"])
def test_values_scattered(compiled, name):
    def function(x, part):
        return torch.as_strided_scatter(x, part, *VIEWS[name]) * 2

    x, part = torch.randn(2, 3, 4), torch.randn(VIEWS[name][0])
    torch.testing.assert_close(compiled(function, fallback="eager")(x, part), function(x, part))
