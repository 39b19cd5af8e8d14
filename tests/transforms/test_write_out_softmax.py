"""Softmax over rows gives eager's numbers, whatever stands in a row and however long it is."""

from __future__ import annotations

import pytest
import torch

ROWS = {
    "plain": lambda shape: torch.randn(shape) * 3,
    "large": lambda shape: torch.randn(shape) * 1e4,
    "equal": lambda shape: torch.full(shape, 7.0),
    "masked": lambda shape: torch.randn(shape).masked_fill(torch.rand(shape) < 0.5, -torch.inf),
    "hidden": lambda shape: torch.full(shape, -torch.inf),
    "infinite": lambda shape: torch.randn(shape).index_fill(-1, torch.tensor([0]), torch.inf),
    "no numbers": lambda shape: torch.randn(shape).index_fill(-1, torch.tensor([0]), torch.nan),
}


@pytest.mark.parametrize(
    "shape", [(3, 1), (5, 7), (4, 29), (3, 77), (2, 3, 197), (6, 256), (2, 1000)], ids=str
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_rows(shape, dtype, each_equals_eager):
    functions = {
        "rows": lambda x: x.softmax(-1),
        "used": lambda x: torch.softmax(x + 0, -1) * 2,
        "columns": lambda x: torch.softmax(x, -2),
    }
    inputs = torch.stack([make(shape) for make in ROWS.values()]).to(dtype)
    close = {torch.float32: 1e-6, torch.float64: 1e-14, torch.bfloat16: 8e-3}[dtype]
    each_equals_eager(functions, inputs, equal_nan=True, rtol=4 * close, atol=close)


def test_shares_of_equal_numbers_are_exact(compiled):
    for count in (1, 3, 10, 49):
        x = torch.full((2, count), 5.0)
        assert torch.equal(compiled(lambda x: x.softmax(-1), dynamic=False)(x), x.softmax(-1))


def test_gradients(compiled):
    x = torch.randn(4, 77, requires_grad=True)
    weight = torch.randn(4, 77)
    (found,) = torch.autograd.grad((compiled(lambda x: x.softmax(-1), dynamic=False)(x) * weight).sum(), x)
    (expected,) = torch.autograd.grad((x.softmax(-1) * weight).sum(), x)
    torch.testing.assert_close(found, expected)
