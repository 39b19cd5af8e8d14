"""Counting what a node has to do."""

from __future__ import annotations

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.frontend.cost import FLOPS_PER_ELEMENT, flops, work


def nodes(function, *args):
    graph = make_fx(function, tracing_mode="fake")(*args).graph
    return [n for n in graph.nodes if n.op == "call_function"]


def test_products_and_convolutions_are_counted_twice_a_multiplication():
    (product,) = nodes(torch.mm, torch.randn(4, 5), torch.randn(5, 6))
    assert flops(product) == 2 * 4 * 5 * 6
    convolution, *_ = nodes(torch.conv2d, torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3))
    assert flops(convolution) == 2 * 4 * 3 * 9 * 6 * 6


def test_pointwise_ops_count_their_elements_only():
    (added,) = nodes(torch.add, torch.randn(4, 1), torch.randn(5))
    assert flops(added) == 0
    assert work([added]) == 20
    (product,) = nodes(torch.mm, torch.randn(4, 5), torch.randn(5, 6))
    assert work([product]) == 30 + flops(product) / FLOPS_PER_ELEMENT


def test_what_is_only_sampled_does_not_count():
    (rows,) = nodes(torch.embedding, torch.randn(1000, 4), torch.zeros(3, dtype=torch.int64))
    assert work([rows]) == 12
    (some,) = nodes(lambda x, i: x[i], torch.randn(1000, 4), torch.zeros(3, dtype=torch.int64))
    assert work([some]) == 12
