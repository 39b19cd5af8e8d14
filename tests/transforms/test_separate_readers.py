"""Sums and other reductions that are read in two orders at once: each with each."""

from __future__ import annotations

import pytest
import torch


def _each_with_each(s):
    return s[:, :, None] * s[:, None, :]


def _distances(x):
    squares = x.square().sum(-1)
    return squares[:, None] + squares[None, :] - 2 * (x @ x.T)


FUNCTIONS = {
    "differences of sums": lambda x: x.sum((1, 2))[:, None] - x.sum((1, 2))[None, :],
    "products of sums": lambda x: _each_with_each(x.sum(1)),
    "by einsum": lambda x: torch.einsum("bsd,bte->bde", x, x),
    "with something between": lambda x: (x.sum(1) * 2)[:, :, None] + (x.sum(1) - 3)[:, None, :].exp(),
    "distances": lambda x: _distances(x[:, 0]),
    "places of maxima": lambda x: x.argmax(1)[:, :, None] + x.argmax(1)[:, None, :],
    "maxima compared": lambda x: torch.where(
        x.amax(1)[:, :, None] > x.amax(1)[:, None, :], x.amax(1)[:, :, None], 0
    ),
    "counted": lambda x: (x.sum((1, 2))[:, None] > x.sum((1, 2))[None, :]).sum(1),
    "symmetric": lambda x: x.mean(1).T[:3, :3] + x.mean(1)[:3, :3],
    "cosines": lambda x: (x[:, 0] @ x[:, 0].T) / (x[:, 0].norm(dim=1)[:, None] * x[:, 0].norm(dim=1)),
    "weights": lambda x: _each_with_each(x[:, 0].softmax(-1)),
    "covariance": lambda x: torch.cov(x[0]),
}


def test_fixed_sizes(each_equals_eager, target, device):
    x = torch.randn(70, 4, 33, device=device)
    each_equals_eager(FUNCTIONS, x, options={"target": target}, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["differences of sums", "products of sums", "distances"])
def test_alone(compiled, target, device, name):
    x = torch.randn(64, 5, 64, device=device)
    actual = compiled(FUNCTIONS[name], target=target)(x)
    torch.testing.assert_close(actual, FUNCTIONS[name](x), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dims", [(0,), (1,), (0, 1), (0, 1, 2)], ids=str)
def test_sizes_that_change(compiled, dims):
    names = ("products of sums", "differences of sums", "by einsum")

    def function(x):
        return [FUNCTIONS[name](x) for name in names]

    run = compiled(function)
    for sizes in ((3, 5, 8), (9, 7, 8)):
        x = torch.randn(*(size if dim in dims else 8 for dim, size in enumerate(sizes)))
        for dim in dims:
            torch._dynamo.mark_dynamic(x, dim)
        torch.testing.assert_close(run(x), function(x), rtol=1e-4, atol=1e-3)


def test_many_views_on_the_way(compiled):
    def function(x, y):
        z = x @ y
        for _ in range(12):  # as windows of images are taken, and put back
            z = (z.view(4, 3, 4, 6).transpose(1, 2).reshape(4, 12, 6).sigmoid() + z.view(4, 12, 6)).view(
                12, 24
            )
        return z.sum(1)[:, None] - z.sum(1)

    x, y = torch.randn(12, 8), torch.randn(8, 24)
    actual = compiled(function, dynamic=False)(x, y)
    torch.testing.assert_close(actual, function(x, y), rtol=1e-3, atol=1e-3)
