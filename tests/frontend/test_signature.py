"""How a part is called: sizes, memory order, and which results the caller provides memory for."""

from __future__ import annotations

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.frontend.extract import extract
from myjit.frontend.signature import memory_order, signature_of


def signature(function, *args, mode="symbolic"):
    gm = make_fx(function, tracing_mode=mode)(*args)
    nodes = [n for n in gm.graph.nodes if n.op == "call_function"]
    part = extract(gm, [n for n in nodes if isinstance(n.meta["val"], torch.Tensor)])
    return signature_of(part)


@pytest.mark.parametrize(
    ("tensor", "order"),
    [
        (torch.empty(2, 3, 4), (0, 1, 2)),
        (torch.empty(2, 3, 4).transpose(0, 2), (2, 1, 0)),
        (torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last), (0, 2, 3, 1)),
        (torch.empty(2, 1).expand(2, 3), (0, 1)),  # no permutation makes it dense: it is copied
        (torch.empty(4, 6)[:, :3], (0, 1)),
        (torch.empty(0, 3).t(), (0, 1)),
        (torch.empty(()), ()),
    ],
)
def test_memory_order(tensor, order):
    assert memory_order(tensor) == order


def test_static_sizes():
    found = signature(lambda x: x.t() * 2, torch.randn(2, 3), mode="fake")
    assert found.inputs[0].shape == (2, 3)
    assert found.outputs[0].shape == (3, 2)
    assert found.bound == (0,)
    assert found.symbols == ()


def test_dynamic_results_follow_from_inputs():
    found = signature(lambda x: torch.cat([x, x]) * 2, torch.randn(5, 3))
    (spec,) = found.outputs
    assert found.bound == (0,)
    places = {name: (index, dim) for name, index, dim in found.symbols}
    values = {name: {0: 5, 1: 3}[dim] for name, (_, dim) in places.items()}
    assert [eval(str(s), {}, values) for s in spec.shape] == [10, 3]  # noqa: S307 sizes are expressions
