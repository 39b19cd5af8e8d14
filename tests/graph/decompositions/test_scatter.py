"""Scatters that reduce, and writes to a diagonal."""

from __future__ import annotations

import pytest
import torch

INDEX = torch.tensor([[0, 1, 1], [1, 0, 1]])


@pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter:UserWarning")
@pytest.mark.parametrize("reduce", ["add", "multiply"])
def test_reduce(compiled, reduce):
    def function(x, y):
        return x.scatter(0, INDEX, y, reduce=reduce), x.scatter(0, INDEX, 3.0, reduce=reduce)

    x, y = torch.randn(2, 3), torch.randn(2, 3)
    torch.testing.assert_close(compiled(function)(x, y), function(x, y))


@pytest.mark.parametrize("offset", [0, 1, -2])
def test_diagonal(compiled, offset):
    def function(x):
        matrix = x * 2
        matrix.diagonal(offset).copy_(matrix.sum(0)[: matrix.diagonal(offset).shape[0]])
        return matrix, x[None].diagonal_scatter(x.diagonal(offset)[None], offset, 2, 1)

    x = torch.randn(4, 4)
    torch.testing.assert_close(compiled(function)(x), function(x))


def test_truth_values(compiled):
    def function(x):
        added = x.scatter_add(0, INDEX, x), x.index_add(0, INDEX[1, :2], x)
        return *added, x.index_put((INDEX[1],), x[0], accumulate=True)

    x = torch.tensor([[True, True, False], [True, False, True]])
    torch.testing.assert_close(compiled(function)(x), function(x))


@pytest.mark.parametrize("reduce", ["sum", "prod", "amin", "amax"])
@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int64, torch.float16])
@pytest.mark.parametrize("include_self", [True, False])
def test_reductions_of_every_type(compiled, reduce, dtype, include_self):
    def function(x, y):
        return x.scatter_reduce(0, torch.tensor([0, 1, 1, 1, 3, 3, 3]), y, reduce, include_self=include_self)

    x = torch.tensor([0, 3, 3, 0, 3]).to(dtype)
    y = torch.tensor([-1, 1, 3, 2, 0, 2, 0]).to(dtype)
    assert torch.equal(compiled(function)(x, y), function(x, y))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int64])
@pytest.mark.parametrize("include_self", [True, False])
def test_means_of_integers_are_rounded_down(compiled, dtype, include_self):
    def function(x, y):
        return x.scatter_reduce(0, torch.tensor([0, 1, 1, 2, 2, 5]), y, "mean", include_self=include_self)

    x = torch.tensor([0, 1, 127, 3, 5, -3]).to(dtype)
    y = torch.tensor([-3, 4, -128, 100, 120, -4]).to(dtype)
    assert torch.equal(compiled(function)(x, y), function(x, y))


@pytest.mark.parametrize("name", ["select_scatter", "slice_scatter", "diagonal_scatter"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.int64])
def test_values_of_another_type_become_those_of_the_tensor(compiled, name, dtype):
    def function(x, y):
        places = {"select_scatter": (y, 0, 1), "slice_scatter": (y[None], 0, 1, 2), "diagonal_scatter": (y,)}
        return getattr(x, name)(*places[name])

    x, y = torch.randn(4, 4).to(dtype), torch.randn(4, dtype=torch.float64)
    torch.testing.assert_close(compiled(function)(x, y), function(x, y))
