"""Ops along a dimension of a tensor that has none."""

from __future__ import annotations

import pytest
import torch

ZERO = torch.tensor(0)
FUNCTIONS = {
    "argmax": lambda x: (x.argmax(0), x.argmin(-1, keepdim=True), x.argmax()),
    "extremes": lambda x: (*x.max(0), x.amin(0), x.amax(-1, keepdim=True)),
    "truth": lambda x: ((x > 0).all(0), (x > 0).any(-1), (x > 0).all(0, keepdim=True)),
    "sums": lambda x: (x.sum(0), x.mean(-1, keepdim=True), x.cumsum(0), x.cumprod(0)),
    "gather": lambda x: (x.gather(0, ZERO), x.gather(0, ZERO[None]), x.index_select(0, ZERO)),
    "scatter": lambda x: (x.scatter(0, ZERO, x * 2), x.scatter_add(0, ZERO, x), x.index_fill(0, ZERO, 3)),
    "softmax": lambda x: (x.softmax(0), x.log_softmax(0), x.logsumexp(0)),
    "flip": lambda x: x.flip(0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name):
    def function(x):
        return FUNCTIONS[name](x * 2)

    x = torch.tensor(1.5)
    torch.testing.assert_close(compiled(function)(x), function(x))


WITH_PLACES = {
    "gather": lambda x, i: (x[0].gather(0, i), x.index_select(0, i)),
    "scatter": lambda x, i: (x[0].scatter(0, i, 7), x[0].scatter(0, i, x[1]), x[0].scatter_add(0, i, x[1])),
    "index_put": lambda x, i: (
        x.index_put((i,), x[1]),
        x.index_put((i, i + 1), torch.ones(()), accumulate=True),
        torch.zeros(6).index_put((i,), torch.ones(())),
    ),
    "index_add": lambda x, i: (x.index_add(0, i, x[1:2]), x.index_fill(1, i, 3), x.index_copy(0, i, x[:1])),
}


@pytest.mark.parametrize("name", WITH_PLACES)
def test_places_without_dimensions(compiled, name):
    def function(x):
        return WITH_PLACES[name](x, x.argmax().remainder(3))

    x = torch.randn(4, 5)
    torch.testing.assert_close(compiled(function)(x), function(x))
