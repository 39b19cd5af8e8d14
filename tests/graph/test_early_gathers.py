"""What is gathered first equals what is gathered last, and losses write no logarithm that nobody asks for."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

DTYPES = [torch.float32, torch.float64, torch.int32]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_equal_to_eager(compiled, dtype, dim):
    def function(x, y, i):
        rows = y.amax(dim, keepdim=True)
        return ((x - rows) * 3 + y).gather(dim, i), (x.float() / 2 + y[0, 0]).gather(dim, i)

    x, y = (torch.arange(8 * 9 * 10).view(8, 9, 10).sin().mul(50).to(dtype) + k for k in range(2))
    shape = list(x.shape)
    shape[dim] = 2
    i = torch.randint(0, x.shape[dim], shape)
    for found, expected in zip(compiled(function)(x, y, i), function(x, y, i), strict=True):
        torch.testing.assert_close(found, expected)


def test_an_index_out_of_range_is_an_error(compiled):
    run = compiled(lambda x, i: (x * 2).gather(1, i))
    with pytest.raises(Exception, match="out of bounds"):
        run(torch.ones(3, 8), torch.tensor([[1], [8], [0]]))


def test_single_elements_and_other_sizes(compiled):
    scalar, zero = torch.tensor(2.0), torch.tensor(0)
    assert compiled(lambda x, i: (x * 2).gather(0, i))(scalar, zero) == 4
    x, i = torch.randn(6, 8), torch.tensor([[7], [0]])
    torch.testing.assert_close(compiled(lambda x, i: (x + 1).gather(1, i))(x, i), (x + 1).gather(1, i))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_cross_entropy(compiled, reduction, tmp_path):
    def loss(x, target, weight):
        return F.cross_entropy(x, target, weight, ignore_index=3, reduction=reduction)

    x, weight = torch.randn(40, 100, requires_grad=True), torch.rand(100)
    target = torch.arange(40) % 5
    for given in (x.detach(), x):
        run = compiled(loss, dump=str(tmp_path))
        torch.testing.assert_close(run(given, target, weight), loss(given, target, weight))
    gradient = torch.autograd.grad(run(x, target, weight).sum(), x)
    torch.testing.assert_close(gradient, torch.autograd.grad(loss(x, target, weight).sum(), x))
    programs = [p.read_text() for p in tmp_path.glob("*/00-input.mlir")]
    assert all("gather %arg0" in program for program in programs if "torch.aten.log " in program)
