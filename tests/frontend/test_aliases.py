"""Outputs share memory where eager's do, and nowhere else."""

from __future__ import annotations

import pytest
import torch

import myjit


@pytest.mark.parametrize("grad", [False, True])
def test_views_of_an_output_follow_it(compiled, grad):
    def function(x):
        y = x * 2
        first, _ = y.split(2)
        return y, y.view(-1), y.t()[0], first, y.sum()

    with torch.set_grad_enabled(grad):
        y, flat, row, first, total = compiled(function)(torch.randn(4, 3))
    before = total.clone()
    with torch.no_grad():
        y.fill_(7)
    for view in (flat, row, first):
        assert torch.equal(view, torch.full_like(view, 7))
    assert torch.equal(total, before)


VIEWS = {
    "second half": lambda x: (x[x.shape[0] // 2 :], x.sum()),
    "last chunk": lambda x: (x.chunk(2)[-1], x.sum()),
    "expanded": lambda x: (x.expand(2, *x.shape), x.t().cumsum(0)),
    "row": lambda x: (x[x.shape[0] - 2], x.t()[1:], x + 1),
    "of a result": lambda x: ((y := x * 2), y[x.shape[0] // 2 :], y.t()[1:]),
    "two of none": lambda x: ((y := x * 2)[x.shape[0] // 2 :], y.t()[1:]),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", VIEWS)
def test_views_lie_where_those_of_eager_do(compiled, form, dynamic):
    def places(tensors):
        memory = [t.untyped_storage().data_ptr() for t in tensors]
        return [
            (memory.index(at), t.storage_offset(), t.stride()) for at, t in zip(memory, tensors, strict=True)
        ]

    function, run = VIEWS[form], compiled(VIEWS[form], dynamic=dynamic)
    for size in (7, 8, 13):
        x = torch.randn(size, 3)
        expected, actual = function(x), run(x)
        torch.testing.assert_close(actual, expected)
        assert places([x, *actual]) == places([x, *expected])


def test_views_of_one_tensor_know_it(compiled):
    def function(x):
        row = (x + 1)[:1]
        return row, row.squeeze(0), row.squeeze(), row.unbind(0)[0]

    results = compiled(function)(torch.arange(4))
    bases = {id(result._base) for result in results}  # AOTAutograd insists that all have one, or none
    assert len(bases) == 1, "results that share memory have different bases"
    results[0].fill_(7)
    assert all(int(result) == 7 for result in results)


@pytest.mark.parametrize("form", VIEWS)
def test_gradients_of_views_of_changing_sizes(compiled, form):
    run = compiled(VIEWS[form], dynamic=True)
    for size in (7, 8, 13):
        x, y = (torch.ones(size, 3, requires_grad=True) for _ in range(2))
        expected, actual = VIEWS[form](x), run(y)
        torch.testing.assert_close(actual, expected)
        for results in (expected, actual):
            sum(t.square().sum() for t in results).backward()
        torch.testing.assert_close(y.grad, x.grad)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_several_results_of_one_op_stay_together():
    def function(x):
        return x.cummax(1), torch.nn.functional.max_pool2d(x[None, None].float(), 2, return_indices=True)

    x = torch.tensor([[1, 3, 2, 5], [4, 0, 6, 1]])
    actual = torch.compile(function, backend="myjit_mlir")(x)
    for got, want in zip(actual, function(x), strict=True):
        torch.testing.assert_close(tuple(got), tuple(want))
    assert "alias" not in myjit.stats()["by_design_reasons"]


def test_views_used_inside_stay_compiled(compiled):
    def function(x):
        y = x * 2
        view = y.view(-1)
        return y, view, view.exp()

    actual = compiled(function)(x := torch.randn(2, 3))
    torch.testing.assert_close(actual, function(x))
    assert myjit.stats()["partitions"] == 1


CONSTANTS = {
    "zeros": lambda x: torch.zeros(3, 4),
    "like": torch.ones_like,
    "new": lambda x: x.new_full((3, 4), 2),
    "computed": lambda x: torch.full((3, 4), 2.0) * 3,
    "range": lambda x: torch.arange(12.0).view(3, 4),
    "literal": lambda x: torch.tensor([[1.0, 2, 3, 4]] * 3),
    "large": lambda x: torch.ones(3, 4, 5000) * 2,
}
SEEN = {
    "flat": lambda t: t.reshape(-1),
    "rows": lambda t: t[1:],
    "turned": lambda t: t.transpose(0, 1),
    "row": lambda t: t.unbind(0)[1],
    "a view of a view": lambda t: t[1:][:, 1:],
}


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("view", SEEN)
def test_views_of_a_constant_follow_it(compiled, constant, view):
    def function(x):
        t = CONSTANTS[constant](x)
        return t, SEEN[view](t), x + 1

    run = compiled(function)
    for _ in range(2):  # every call's is its own
        (expected, seen, _), (actual, same, _) = function(torch.ones(3, 4)), run(torch.ones(3, 4))
        torch.testing.assert_close(actual, expected)
        seen.fill_(7)
        same.fill_(7)
        torch.testing.assert_close(actual, expected)
