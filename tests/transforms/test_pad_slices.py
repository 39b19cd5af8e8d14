"""A tensor written inside of a constant one, after what IREE would merge the write with."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

PRODUCERS = {
    "grouped convolution": lambda x: F.conv2d(x, torch.full((x.shape[1], 1, 3, 3), 0.1), groups=x.shape[1]),
    "average pooling": lambda x: F.avg_pool2d(x, 3, 1),
    "greatest of windows": lambda x: F.max_pool2d(x, 2, 1),
    "sum": lambda x: x.unfold(2, 3, 1).sum(-1),
}


@pytest.mark.parametrize("shape", [(1, 16, 14, 14), (1, 1, 9, 10), (2, 5, 8, 8)], ids=str)
def test_transposed_convolutions(shape, each_equals_eager):
    def transposed(producer, kernel):
        return lambda x, weights: F.conv_transpose2d(PRODUCERS[producer](x), weights[kernel])

    functions = {
        f"{producer}, {kernel}": transposed(producer, kernel) for producer in PRODUCERS for kernel in (2, 3)
    }
    weights = {kernel: torch.randn(shape[1], 3, kernel, kernel) for kernel in (2, 3)}
    each_equals_eager(functions, torch.randn(shape), weights, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("producer", PRODUCERS)
def test_alone(producer, compiled):
    def function(x, weight):
        return F.conv_transpose2d(PRODUCERS[producer](x), weight)

    x, weight = torch.randn(1, 16, 14, 14), torch.randn(16, 3, 2, 2)
    torch.testing.assert_close(compiled(function)(x, weight), function(x, weight), atol=1e-4, rtol=1e-4)


def test_dynamic_sizes(compiled):
    weight = torch.randn(4, 3, 2, 2)

    def function(x):
        return F.conv_transpose2d(F.avg_pool2d(x, 3, 1), weight)

    run = compiled(function, dynamic=True)
    for size in (6, 9, 14):
        x = torch.randn(1, 4, size, size + 1)
        torch.testing.assert_close(run(x), function(x), atol=1e-4, rtol=1e-4)


def test_a_slice_of_zeros_is_written(compiled):
    def function(x):
        y = F.avg_pool2d(x, 3, 1)
        z = torch.zeros(1, 4, y.shape[2] + 2, y.shape[3] + 3)
        z[:, :, 1:-1, 2:-1] = y
        return z

    x = torch.randn(1, 4, 9, 9)
    torch.testing.assert_close(compiled(function)(x), function(x))
