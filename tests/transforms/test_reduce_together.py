"""Several reductions of the same rows equal eager: side by side, one after the other, with what follows."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F


def total(x: torch.Tensor) -> torch.Tensor:
    """The sum of each row."""
    return x.sum(-1, keepdim=True)


FUNCTIONS = {
    "two sums": lambda x, y: (x.sum(-1), (x * y).sum(-1)),
    "of what both make": lambda x, y: (x - total(x)) * total(x * y),
    "moments": lambda x, y: (x.mean(-1), (x * x).mean(-1)),
    "sum and greatest": lambda x, y: (x.sum(-1), x.amax(-1), (x.abs() + y).amin(-1)),
    "three": lambda x, y: x * total(x) + y * total(x * y) + total(y * y),
    "one after the other": lambda x, y: ((x - (m := x.mean(-1, keepdim=True))) ** 2).sum(-1) + m[..., 0],
    "both ways": lambda x, y: (x.sum(-1), x.sum(-2), (x * y).sum(-1), (x * y).sum(-2)),
    "one for others too": lambda x, y: ((s := (x * 2).sum(-1)), (x * y).sum(-1), s.sum()),
    "two softmaxes": lambda x, y: x.softmax(-1) * (x * y).softmax(-1),
    "over others": lambda x, y: (x.sum(-1), x.sum(0), (x * y).sum((0, -1)), (x * y + x).amax((0, -1))),
    "both ways of as many": lambda x, y: (
        (z := (x.mT @ x)).sum(-1),
        (z * z).sum(-1),
        z.sum(0),
        (z * z).sum(0),
    ),
    "cosine": lambda x, y: F.cosine_similarity(x, y, dim=-1),
}

SHAPES = [(3, 40, 64), (7, 33), (2, 130, 300)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name, shape):
    x, y = torch.randn(shape), torch.randn(shape)
    run = compiled(FUNCTIONS[name], dynamic=False)
    torch.testing.assert_close(run(x, y), FUNCTIONS[name](x, y), atol=1e-3, rtol=1e-4)


def test_a_product_that_is_summed_keeps_its_zeros_signs(compiled):
    def function(x, y):
        return (p := x * y.exp()), p.sum(-1), (x * y).sum(-1), x.sum(-1)

    x, y = torch.full((4, 64), -0.0), torch.rand(4, 64)
    results, expected = compiled(function)(x, y), function(x, y)
    torch.testing.assert_close(results, expected)
    assert results[0].signbit().all()


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.int32], ids=str)
def test_other_types(compiled, dtype):
    x, y = (torch.randint(-9, 9, (20, 48)).to(dtype) for _ in range(2))
    function = FUNCTIONS["sum and greatest"]
    torch.testing.assert_close(compiled(function)(x, y), function(x, y), check_dtype=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("norm", [F.layer_norm, F.rms_norm])
def test_gradients_of_norms(compiled, norm, shape):
    args = [torch.randn(shape, requires_grad=True), torch.randn(shape[-1], requires_grad=True)]

    def function(x, weight):
        return norm(x, shape[-1:], weight)

    run, out = compiled(function, dynamic=False), torch.randn(shape)
    actual, expected = (torch.autograd.grad(f(*args), args, out) for f in (run, function))
    torch.testing.assert_close(actual, expected, atol=1e-4, rtol=1e-4)
