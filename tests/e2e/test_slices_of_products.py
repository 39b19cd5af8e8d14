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
