"""Matrix products with the other tile, alone and with what is fused onto them, equal eager."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("shape", [(64, 32, 128), (7, 5, 16), (61, 33, 48), (128, 100, 72)])
def test_products_with_an_epilogue(shape: tuple[int, int, int], compiled):
    rows, depth, columns = shape
    a, b = torch.randn(rows, depth), torch.randn(depth, columns)

    def function(a, b):
        return torch.relu(a @ b + b[0]), a @ b

    run = compiled(function, dynamic=False)
    torch.testing.assert_close(run(a, b), function(a, b), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    "after",
    [
        lambda y: y.t() * 2 + 1,
        lambda y: y.sum(0),
        lambda y: y.softmax(-1),
        lambda y: (y + y.t()).tanh(),
        lambda y: y.reshape(8, 8, 64).permute(1, 0, 2) + 1,
    ],
)
def test_products_whose_result_is_read_in_another_order(after, compiled):
    a, b = torch.randn(64, 48), torch.randn(48, 64)
    run = compiled(lambda a, b: after(a @ b), dynamic=False)
    torch.testing.assert_close(run(a, b), after(a @ b), atol=1e-4, rtol=1e-4)


def test_batches_of_products(compiled):
    a, b = torch.randn(3, 20, 17), torch.randn(3, 17, 32)
    run = compiled(lambda a, b: torch.bmm(a, b) * 2)
    torch.testing.assert_close(run(a, b), torch.bmm(a, b) * 2, atol=1e-4, rtol=1e-4)


def test_convolutions(compiled):
    convolution = torch.nn.Conv2d(16, 32, 3, padding=1, stride=2)
    x = torch.randn(2, 16, 24, 24)
    with torch.no_grad():
        run = compiled(lambda x: torch.relu(convolution(x)))
        torch.testing.assert_close(run(x), torch.relu(convolution(x)), atol=1e-4, rtol=1e-4)
