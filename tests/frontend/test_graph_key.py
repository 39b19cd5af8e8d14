"""Parts get the same key exactly where the compiler sees the same program."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.frontend.extract import extract
from myjit.frontend.graph_key import IndescribableError, graph_digest


def digest(function: Callable[..., Any], *inputs: Any, mode: str = "fake") -> str:
    gm = make_fx(function, tracing_mode=mode)(*inputs)
    return graph_digest(extract(gm, [n for n in gm.graph.nodes if n.op == "call_function"]))


def traced(constant: Any) -> GraphModule:
    """Trace x + constant, where the constant is a tensor of the graph's own."""
    return make_fx(lambda x: x + constant)(torch.ones(2))


def test_names_and_places_do_not_count():
    first = digest(lambda x: (x * 2).sin(), torch.ones(3))

    def elsewhere(another_name):
        doubled = another_name * 2
        return doubled.sin()

    assert digest(elsewhere, torch.zeros(3)) == first


X = torch.ones(3, 4)
PROGRAMS: dict[str, Callable[[], str]] = {
    "base": lambda: digest(lambda x: x * 2, X),
    "op": lambda: digest(lambda x: x + 2, X),
    "number": lambda: digest(lambda x: x * 3, X),
    "kind of number": lambda: digest(lambda x: x * 2.0, X),
    "sign of zero": lambda: digest(lambda x: x * -0.0, X),
    "zero": lambda: digest(lambda x: x * 0.0, X),
    "size": lambda: digest(lambda x: x * 2, torch.ones(4, 3)),
    "dtype": lambda: digest(lambda x: x * 2, X.double()),
    "strides": lambda: digest(lambda x: x * 2, torch.ones(4, 3).T),
    "keyword": lambda: digest(lambda x: torch.sum(x, 0, keepdim=True), X),
    "no keyword": lambda: digest(lambda x: torch.sum(x, 0), X),
    "left": lambda: digest(lambda x, y: (x - y) * x, X, X.clone()),
    "right": lambda: digest(lambda x, y: (x - y) * y, X, X.clone()),
    "symbolic": lambda: digest(lambda x: x * 2, X, mode="symbolic"),
}


def test_everything_else_counts():
    digests = {name: make() for name, make in PROGRAMS.items()}
    by_digest: dict[str, list[str]] = {}
    for name, value in digests.items():
        by_digest.setdefault(value, []).append(name)
    assert all(len(names) == 1 for names in by_digest.values()), by_digest


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_the_bytes_of_constants_count(dtype):
    first = traced(torch.tensor([1, 0], dtype=dtype))
    again = traced(torch.tensor([1, 0], dtype=dtype))
    other = traced(torch.tensor([1, 1], dtype=dtype))
    keys = [
        graph_digest(extract(gm, gm.graph.find_nodes(op="call_function", target=torch.ops.aten.add.Tensor)))
        for gm in (first, again, other)
    ]
    assert keys[0] == keys[1] != keys[2]


def test_what_cannot_be_described_is_refused():
    gm = make_fx(lambda x: x * 2)(torch.ones(2))
    (node,) = gm.graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor)
    node.args = (node.args[0], torch.finfo(torch.float32))
    with pytest.raises(IndescribableError, match="an operand of type finfo"):
        graph_digest(extract(gm, [node]))
    node.args = (node.args[0], 2)
    node.target = inspect.getdoc
    with pytest.raises(IndescribableError, match="getdoc"):
        graph_digest(extract(gm, [node]))


def test_a_constant_without_values_is_refused():
    gm = traced(torch.tensor([1.0, 2.0]))
    (name,) = [n.target for n in gm.graph.find_nodes(op="get_attr")]
    with FakeTensorMode():
        setattr(gm, name, torch.empty(2))
    with pytest.raises(IndescribableError, match="FakeTensor"):
        graph_digest(extract(gm, gm.graph.find_nodes(op="call_function", target=torch.ops.aten.add.Tensor)))
