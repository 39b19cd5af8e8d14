"""Softmax along every dimension, of special values and of nothing."""

from __future__ import annotations

import pytest
import torch

INF = float("inf")


@pytest.mark.parametrize("shape", [(), (5,), (4, 6), (2, 0), (0, 3)])
def test_shapes(compiled, shape):
    def function(x):
        return x.softmax(-1), x.log_softmax(0)

    x = torch.randn(shape)
    torch.testing.assert_close(compiled(function)(x), function(x))


def test_special_values(compiled):
    x = torch.tensor([[1.0, -INF, 2.0], [-INF, -INF, -INF], [INF, 1.0, 2.0], [1000.0, 999.0, 0.0]])
    torch.testing.assert_close(compiled(lambda x: x.softmax(1))(x), x.softmax(1), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_data_types(compiled, dtype):
    def function(x):
        return x.softmax(1), x.softmax(1, dtype=torch.float32), x.log_softmax(1)

    x = torch.randn(4, 33).to(dtype)
    torch.testing.assert_close(compiled(function)(x), function(x))
