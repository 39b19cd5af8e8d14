"""Results that are written in the loops that add something up of the same equal eager, and so do the sums."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

FUNCTIONS = {
    "differences": lambda x, y: ((d := x - y) * 1e-3, (d * d).sum(-1)),
    "the sum first": lambda x, y: ((x * y).sum(-1), x.relu()),
    "several": lambda x, y: (x.abs(), (x + y).exp(), (x * y).amax(-1), x.neg()),
    "several sums": lambda x, y: (x.sum(-1), x.sigmoid(), (x * y).sum(-1)),
    "a loss": lambda x, y: (F.mse_loss(x, y), (x - y) * 2e-6),
    "needed by the sum": lambda x, y: ((e := x.exp()), (e * y).sum(-1)),
    "made of the sum": lambda x, y: (x - (m := x.mean(-1, keepdim=True)), m * y),
    "for a product": lambda x, y: ((x * 2) @ y.mT, (x * 2).square().sum(-1)),
    "truth values": lambda x, y: (x > y, (x * y).sum(-1)),
    "columns": lambda x, y: (x * 2, (x * y).sum(-2)),
    "both ways": lambda x, y: (x * 2, x.sum(-1), x.sum(-2), x.sum()),
}
SHAPES = [(80, 128), (3, 40, 197), (70, 3), (5, 300)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name, shape):
    x, y = torch.randn(shape), torch.randn(shape)
    run = compiled(FUNCTIONS[name], dynamic=False)
    torch.testing.assert_close(run(x, y), FUNCTIONS[name](x, y), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16, torch.int32], ids=str)
def test_other_types(compiled, dtype):
    x, y = (torch.randint(-9, 9, (96, 80)).to(dtype) for _ in range(2))
    function = FUNCTIONS["differences" if dtype.is_floating_point else "the sum first"]
    torch.testing.assert_close(compiled(function)(x, y), function(x, y), atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize(
    "loss", [F.mse_loss, F.huber_loss, F.binary_cross_entropy_with_logits], ids=lambda f: f.__name__
)
def test_gradients_of_losses(compiled, loss):
    x, y = torch.randn(96, 130, requires_grad=True), torch.rand(96, 130)
    (found,) = torch.autograd.grad(compiled(loss)(x, y), x)
    (expected,) = torch.autograd.grad(loss(x, y), x)
    torch.testing.assert_close(found, expected)


def test_a_result_that_a_later_one_overwrites(compiled):
    def function(x, y):
        d = x - y
        squares = (d * d).sum(-1)
        x.mul_(2)
        return squares, d * 3, x

    x, y = torch.randn(96, 128), torch.randn(96, 128)
    given = x.clone()
    torch.testing.assert_close(compiled(function)(given, y), function(x.clone(), y))
    torch.testing.assert_close(given, x * 2)


def test_a_loss_and_its_gradient_are_one_kernel(tmp_path):
    x, y = torch.randn(2, 1024, 1024)
    options = {"fallback": "error", "dump": str(tmp_path)}
    torch.compile(FUNCTIONS["differences"], backend="myjit_mlir", options=options, dynamic=False)(x, y)
    (tiles,) = tmp_path.glob("*/*-tiles.mlir")
    assert tiles.read_text().count("hal.executable.export") == 1
