"""Numbers that are tensors on the CPU, among tensors of another device."""

from __future__ import annotations

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.passes.registered import GRAPH_PASSES


def _set(x):
    y = x.clone()
    y[0] = -2
    y[:, 1:3] = torch.tensor(4)
    y[..., None, :2] = True
    return y


def _where_large(x):
    y = x.clone()
    y[x > 1] = 7
    return y.masked_fill(x < -1, torch.tensor(5.0))


FUNCTIONS = {
    "a row": lambda x: x.clone().index_fill(0, torch.tensor([1], device=x.device), 2) * torch.tensor(3.0),
    "parts": _set,
    "products": lambda x: (x * torch.tensor(2.5), x.half() + torch.tensor(2.5), torch.tensor(3) - x),
    "choices": lambda x: torch.where(x > torch.tensor(0.5), torch.tensor(1.0), x),
    "where large": _where_large,
}


@pytest.mark.parametrize("dynamic", [False, True])
def test_equal_to_eager(each_equals_eager, target, device, dynamic):
    x = torch.randn(5, 7, device=device)
    each_equals_eager(FUNCTIONS, x, options={"target": target, "dynamic": dynamic})


def test_a_number_made_from_numbers():
    def function(x):
        y = x * (torch.tensor(2.0) + 1).half()
        return torch.where(y > 0, y, torch.tensor(0))

    graph = make_fx(function, tracing_mode="fake")(torch.ones(2, device="meta"))
    for name in ("fold-constants", "number-devices"):
        GRAPH_PASSES.get(name)(graph)
    graph.graph.lint()
    values = [node.meta["val"] for node in graph.graph.nodes if node.op != "output"]
    assert {value.device.type for value in values} == {"meta"}
    assert values[-1].dtype == torch.float32


def test_a_number_made_like_a_tensor_that_holds_nothing():
    """`x[mask] = 3` has such a gradient."""

    def function(x):
        return torch.where(x > 1, torch.zeros_like(torch.empty_strided((), ())), x)

    graph = make_fx(function, tracing_mode="fake")(torch.ones(2, device="meta"))
    GRAPH_PASSES.get("number-devices")(graph)
    graph.graph.lint()
    values = [node.meta["val"] for node in graph.graph.nodes if node.op != "output"]
    assert {value.device.type for value in values} == {"meta"}


def test_gradients_of_what_a_mask_overwrites(compiled, target, device):
    x = torch.randn(5, 7, device=device, requires_grad=True)
    upstream = torch.randn(5, 7, device=device)
    run = compiled(_where_large, target=target)
    (actual,) = torch.autograd.grad(run(x), x, upstream)
    (expected,) = torch.autograd.grad(_where_large(x), x, upstream)
    assert torch.equal(actual, expected)
