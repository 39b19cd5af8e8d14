"""A tensor whose slices are rewritten from products of itself, one after the other."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize(("left", "transpose"), [(True, True), (False, False)])
def test_the_gradient_of_ormqr(left, transpose):
    reflectors, tau, x = torch.randn(3, 3), torch.rand(3), torch.randn(3, 3)

    def gradients(function):
        inputs = [t.clone().requires_grad_() for t in (reflectors, tau, x)]
        function(*inputs, left=left, transpose=transpose).square().sum().backward()
        return [t.grad for t in inputs]

    actual = gradients(torch.compile(torch.ormqr, backend="myjit_mlir"))
    torch.testing.assert_close(actual, gradients(torch.ormqr), rtol=1e-3, atol=1e-3)


def turned(x):
    """As rotary embeddings turn pairs of features."""
    half = x.shape[-1] // 2
    return torch.cat([-x[..., half:], x[..., :half]], -1)


def test_gradients_of_slices_with_products_between_are_compiled(compiled):
    """Slices of zeros that others are written into, with products between them: they are padding."""
    weights = torch.randn(3, 8, 8) / 8

    def function(x):
        for weight in weights:
            x = (x @ weight).sin()
            x = x * 2 + turned(x) * 3
        return x

    x = torch.randn(2, 5, 8, requires_grad=True)
    found, wanted = (torch.autograd.grad(f(x).square().sum(), x)[0] for f in (compiled(function), function))
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(("start", "end"), [(0, 3), (2, 5), (5, 8), (-3, None), (7, 99)])
def test_slices_of_zeros_written_from_products(compiled, start, end):
    def function(x):
        zeros = x.new_zeros(8, 8)
        once = torch.slice_scatter(zeros, (x + zeros)[: len(zeros[start:end])], 0, start, end)
        twice = torch.slice_scatter(zeros, (once @ x)[:, : len(zeros[start:end])], 1, start, end)
        return (
            once,
            twice,
            torch.slice_scatter(zeros, (twice @ once)[: len(zeros[start:end])], 0, start, end),
            zeros,
        )

    x = torch.randn(8, 8)
    torch.testing.assert_close(compiled(function)(x), function(x), rtol=1e-4, atol=1e-4)
