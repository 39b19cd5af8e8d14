"""Products of a matrix and a vector equal eager, alone and with what is fused onto them."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F


def equal(compiled, function, *shapes):
    args = [torch.randn(*shape) for shape in shapes]
    run = compiled(function, dynamic=False)
    torch.testing.assert_close(run(*args), function(*args), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("depth", [1, 7, 256, 257, 768, 1021])
@pytest.mark.parametrize("columns", [5, 64])
def test_rows_of_a_weight(compiled, depth, columns):
    equal(compiled, lambda x, w: F.linear(x, w).relu() + 1, (1, depth), (columns, depth))


@pytest.mark.parametrize("depth", [7, 64])
@pytest.mark.parametrize("columns", [1, 5, 48, 100, 768])
def test_rows_of_a_matrix(compiled, depth, columns):
    equal(compiled, lambda x, w: (x @ w) * 2, (1, depth), (depth, columns))


@pytest.mark.parametrize(
    "shapes",
    [
        ((40, 300), (300,)),
        ((300,), (300, 40)),
        ((300,), (300,)),
        ((4, 1, 64), (4, 64, 48)),
        ((4, 48, 64), (4, 64, 1)),
    ],
    ids=str,
)
def test_vectors_and_batches(compiled, shapes):
    equal(compiled, lambda a, b: a @ b, *shapes)


def test_a_residual_and_a_norm(compiled):
    equal(compiled, lambda x, w: F.layer_norm(F.linear(x, w) + x, (64,)), (1, 64), (64, 64))
