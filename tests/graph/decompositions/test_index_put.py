"""Writes through masks, and at places along any dimensions."""

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


WRITES = {
    "rows": lambda i, j: (i,),
    "columns": lambda i, j: (slice(None), i),
    "last": lambda i, j: (..., i),
    "rows and columns": lambda i, j: (i, j),
    "together": lambda i, j: (slice(None), i[:, None], j),
    "apart": lambda i, j: (i, slice(None), j),
    "far apart": lambda i, j: (slice(None), i, slice(None), j[:, None]),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("places", WRITES)
def test_places_along_any_dimensions(compiled, places, dynamic):
    def function(x, i, j, values):
        y = x.clone()
        y[WRITES[places](i, j)] = values
        z = x.clone()
        z[WRITES[places](i, j)] = 5
        return y, z

    run = compiled(function, dynamic=dynamic)
    for size in (4, 6, 9):
        x, i, j = torch.randn(size, 5, 4, size), torch.tensor([2, 0, 3]), torch.tensor([1, 3, 2])
        values = torch.randn(x[WRITES[places](i, j)].shape)
        torch.testing.assert_close(run(x, i, j, values), function(x, i, j, values))


@pytest.mark.parametrize("places", WRITES)
def test_gradients_of_reads(compiled, places):
    i, j = torch.tensor([2, 0, 2]), torch.tensor([1, 3, 1])
    x, y = (torch.ones(4, 5, 4, 6, requires_grad=True) for _ in range(2))

    def function(x):
        return x[WRITES[places](i, j)].cumsum(0).square().sum()

    function(x).backward()
    compiled(function)(y).backward()
    torch.testing.assert_close(y.grad, x.grad)


def test_gradients_of_windows(compiled):
    x, y = (torch.ones(2, 3, 4, 9, requires_grad=True) for _ in range(2))

    def function(x):
        return x.unfold(3, 2, 3).cumsum(3).square().sum() + x.unfold(2, 3, 1).square().sum()

    function(x).backward()
    compiled(function)(y).backward()
    torch.testing.assert_close(y.grad, x.grad)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("last", [0, 1, 3])
def test_places_of_several_dimensions(compiled, last, dynamic):
    def function(x, i, j, one):
        written = x[..., 0].index_put((i, j), one), x.index_put((i, j), one)
        return *written, x.index_put((i, j), one, accumulate=True), x.index_put((i,), one, accumulate=True)

    run = compiled(function, dynamic=dynamic)
    for size in (4, 6, 9):
        i, j = torch.randint(0, 4, (3, 1)).expand(3, size), torch.randint(0, 4, (3, size))
        x = torch.randn(size, size, max(last, 1))[..., : last or None]
        for actual, expected in zip(
            run(x, i, j, torch.ones(())), function(x, i, j, torch.ones(())), strict=True
        ):
            torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_a_number_at_places_along_a_dimension(compiled, target, device, dim, dynamic):
    def function(x, places, value):
        return x.index_fill(dim, places, -2), x.mT.index_fill(dim, places[0], value)

    run = compiled(function, target=target, dynamic=dynamic)
    for rows in (4, 5):
        x, places = torch.randn(3, rows, 3, device=device), torch.tensor([2, 0], device=device)
        value = torch.tensor(7.0, device=device)
        torch.testing.assert_close(run(x, places, value), function(x, places, value))


def test_a_number_in_place_of_a_single_one(compiled):
    def function(x, places):
        return x.index_fill(0, places, 3) * 2

    x, places = torch.tensor(5.0), torch.tensor([0])
    torch.testing.assert_close(compiled(function)(x, places), function(x, places))
