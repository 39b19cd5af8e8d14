"""Reading memory by strides: what shows a tensor as it is costs nothing, and all others are right."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from myjit.frontend.decompose import decomposition_table
from myjit.pipelines._stages import DECOMPOSITIONS

VIEWS = {
    "as it is": ((2, 3, 4), (12, 4, 1), 0),
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
