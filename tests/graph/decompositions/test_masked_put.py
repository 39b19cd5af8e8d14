"""Assignments through masks."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("shape", [(4,), (4, 3)])
def test_a_number_where_a_mask_is_true(compiled, shape, accumulate):
    def function(x, mask):
        return x.index_put((mask,), torch.tensor(7.0), accumulate=accumulate) + 1

    x, mask = torch.randn(4, 3), torch.rand(shape) > 0.5
    assert torch.equal(compiled(function)(x, mask), function(x, mask))


def test_assignment_in_place(compiled):
    def function(x):
        y = x.clone()
        y[y > 0] = 5
        return y

    x = torch.randn(4, 3)
    assert torch.equal(compiled(function)(x), function(x))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("mask", [[False] * 4, [True, False, True, True]])
def test_several_numbers_are_put_by_torch(mask):
    def function(x, mask, values):
        return x.index_put((mask,), values, accumulate=True) + 1

    x, mask = torch.randn(4, 3), torch.tensor(mask)
    run = torch.compile(function, backend="myjit_mlir")
    torch.testing.assert_close(run(x, mask, torch.ones(3)), function(x, mask, torch.ones(3)))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_what_else_came_out_wrong():
    def function(x, i):
        return x.logcumsumexp(0), torch.nn.functional.embedding_bag(i, x.t())

    x, i = torch.tensor([[-float("inf"), 1.0, 80.0], [0.0, 2.0, 90.0]]), torch.tensor([[0, 2], [1, 1]])
    run = torch.compile(function, backend="myjit_mlir")
    torch.testing.assert_close(run(x, i), function(x, i))
