"""Indices out of range raise torch's own error; those in range are right, whatever their sign."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import myjit

X = torch.arange(20.0).view(5, 4)

#: A function of a tensor (5, 4) and an index into its first dimension; and whether -1 is an index.
OPS = {
    "embedding": (lambda x, i: F.embedding(i, x), False),
    "index": (lambda x, i: x[i], True),
    "index-two": (lambda x, i: x[i, i.clamp(-4, 3)], True),
    "index_select": (lambda x, i: x.index_select(0, i), False),
    "gather": (lambda x, i: x.gather(0, i[:, None].expand(-1, 4)), False),
    "scatter": (lambda x, i: x.scatter(0, i[:, None].expand(-1, 4), 7.0), False),
    "scatter_add": (lambda x, i: x.scatter_add(0, i[:, None].expand(-1, 4), x[:3]), False),
    "index_put": (lambda x, i: x.index_put((i,), torch.zeros(3, 4)), True),
    "cross_entropy": (lambda x, i: F.cross_entropy(x.t()[:3], i), False),
}


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")  # some dynamic forms have no lowering
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", OPS)
def test_op(name, dynamic):
    function, negative = OPS[name]
    options = {"fallback": "eager" if dynamic else "error"}
    run = torch.compile(
        lambda x, i: function(x, i) * 2, backend="myjit_mlir", dynamic=dynamic, options=options
    )
    fine = torch.tensor([0, 4, 2])
    torch.testing.assert_close(run(X, fine), function(X, fine) * 2)
    for index in ([0, 5, 2], [0, 2**40, 2], [0, -(2**40), 2], [-1, 0, -5]):
        wrong = torch.tensor(index)
        if negative and index[0] == -1:
            torch.testing.assert_close(run(X, wrong), function(X, wrong) * 2)
        else:
            with pytest.raises((IndexError, RuntimeError)):
                run(X, wrong)
    torch.testing.assert_close(run(X, fine), function(X, fine) * 2)
    assert myjit.stats()["ops_compiled"] > 0


def test_a_wrong_index_costs_the_partition_nothing(compiled):
    run = compiled(lambda x, i: x[i] + 1)
    with pytest.raises(IndexError):
        run(X, torch.tensor([9]))
    before = myjit.stats()["calls"]
    run(X, torch.tensor([3]))
    assert myjit.stats()["calls"] == before + 1


def test_masks_are_no_indices(compiled):
    mask = torch.tensor([True, False, True, True, False])
    torch.testing.assert_close(
        compiled(lambda x, m: torch.where(m[:, None], x, 0.0))(X, mask), X * mask[:, None]
    )


def test_gradients_pass_through_checked_indices(compiled):
    def gradient(run):
        x = X.clone().requires_grad_()
        run(x, torch.tensor([1, -1, 1])).square().sum().backward()
        return x.grad

    torch.testing.assert_close(gradient(compiled(lambda x, i: x[i])), gradient(lambda x, i: x[i]))


def test_an_index_into_one_element_trains():
    """A backward is compiled when it is asked for, outside of every mode of the tracing."""

    def gradient(function):
        x = torch.arange(6.0).view(1, 6).requires_grad_()
        function(x, torch.tensor([0, 0, -1])).square().sum().backward()
        return x.grad

    def function(x, i):
        return x[i] * torch.where(x[i] > 2, x[i], 1.0)

    run = torch.compile(function, backend="myjit_mlir", options={"fallback": "error"})
    torch.testing.assert_close(gradient(run), gradient(function))
