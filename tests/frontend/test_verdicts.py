"""Verdicts hold for exactly the operands that they were given on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.frontend import verdicts
from myjit.frontend.support import Reason, Rejection
from myjit.pipelines.cpu import PIPELINE


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    verdicts.forget()
    yield
    verdicts.forget()


def node_of(function, *args):
    graph = make_fx(function, tracing_mode="fake")(*args).graph
    return next(n for n in graph.nodes if n.op == "call_function")


def test_same_op_on_same_operands():
    node = node_of(torch.cumsum, torch.randn(2, 3), 1)
    assert verdicts.recall(node, PIPELINE) is None
    rejection = Rejection.of(node, Reason.LOWERING, "no")
    verdicts.remember(node, PIPELINE, rejection)
    again = node_of(torch.cumsum, torch.zeros(2, 3), 1)
    assert verdicts.recall(again, PIPELINE) == rejection


def test_other_operands_are_asked_again():
    node = node_of(torch.cumsum, torch.randn(2, 3), 1)
    verdicts.remember(node, PIPELINE, Rejection.of(node, Reason.LOWERING))
    others = [
        node_of(torch.cumsum, torch.randn(2, 3), 0),
        node_of(torch.cumsum, torch.randn(2, 4), 1),
        node_of(torch.cumsum, torch.randn(2, 3).double(), 1),
        node_of(torch.cumprod, torch.randn(2, 3), 1),
    ]
    assert all(verdicts.recall(other, PIPELINE) is None for other in others)


def test_another_pipeline_is_asked_again():
    node = node_of(torch.cumsum, torch.randn(2, 3), 1)
    verdicts.remember(node, PIPELINE, Rejection.of(node, Reason.LOWERING))
    assert verdicts.recall(node, PIPELINE.with_flags("--iree-opt-level=O0")) is None


def test_what_a_limit_ended_is_asked_again_under_another():
    node = node_of(torch.cumsum, torch.randn(2, 3), 1)
    rejection = Rejection.of(node, Reason.CRASH, "took longer")
    verdicts.remember(node, PIPELINE, rejection, "1 s")
    assert verdicts.recall(node, PIPELINE, "1 s") == rejection
    assert verdicts.recall(node, PIPELINE, "9 s") is None


def test_what_was_refused_among_others_is_asked_again_among_others():
    def summed(function):
        return lambda x: function(x.exp()).cumsum(1) * 2

    def node(function):
        graph = make_fx(summed(function), tracing_mode="fake")(torch.randn(2, 3)).graph
        return next(n for n in graph.nodes if n.target is torch.ops.aten.cumsum.default)

    rejection = Rejection.of(node(torch.sin), Reason.CODEGEN, "failed to distribute")
    verdicts.remember(node(torch.sin), PIPELINE, rejection, alone=False)
    assert verdicts.recall(node(torch.sin), PIPELINE) == rejection
    assert verdicts.recall(node(torch.cos), PIPELINE) is None
    assert verdicts.recall(node_of(torch.cumsum, torch.randn(2, 3), 1), PIPELINE) is None
    verdicts.remember(node(torch.sin), PIPELINE, rejection)
    assert verdicts.recall(node(torch.cos), PIPELINE) == rejection
