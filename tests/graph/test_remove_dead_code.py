"""Dead nodes go, in chains; what has an effect stays."""

from __future__ import annotations

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.graph.remove_dead_code import run


def kept(function, *inputs: torch.Tensor) -> list[str]:
    gm = make_fx(function)(*inputs)
    run(gm)
    gm.graph.lint()
    gm.recompile()
    assert torch.equal(gm(*inputs), function(*inputs))
    return [str(n.target) for n in gm.graph.nodes if n.op == "call_function"]


def test_a_dead_chain_goes():
    def f(x):
        x.sin().cos().exp()
        return x + 1

    assert kept(f, torch.ones(3)) == ["aten.add.Tensor"]


def test_writes_and_random_draws_stay():
    def f(x):
        y = x.clone()
        y.add_(1)
        torch.rand(3)
        return x * 2

    assert kept(f, torch.ones(3)) == [
        "aten.clone.default",
        "aten.add_.Tensor",
        "aten.rand.default",
        "aten.mul.Tensor",
    ]


def test_every_input_stays():
    gm = make_fx(lambda x, y: x + 1)(torch.ones(2), torch.ones(2))
    run(gm)
    assert len(gm.graph.find_nodes(op="placeholder")) == 2
