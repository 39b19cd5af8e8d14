"""Products of a matrix and a vector equal eager, alone and with what is fused onto them."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F


def products(product, cases):
    """Return one program of all cases by name, and its arguments."""
    functions = {str(case): lambda args, name=str(case): product(*args[name]) for case in cases}
    return functions, {str(case): [torch.randn(*shape) for shape in case] for case in cases}


def test_rows_of_a_weight(each_equals_eager):
    cases = [((1, depth), (columns, depth)) for depth in (1, 7, 256, 257, 768, 1021) for columns in (5, 64)]
    functions, args = products(lambda x, w: F.linear(x, w).relu() + 1, cases)
    each_equals_eager(functions, args, atol=1e-4, rtol=1e-4)


def test_rows_of_a_matrix(each_equals_eager):
    cases = [((1, depth), (depth, columns)) for depth in (7, 64) for columns in (1, 5, 48, 100, 768)]
    functions, args = products(lambda x, w: (x @ w) * 2, cases)
    each_equals_eager(functions, args, atol=1e-4, rtol=1e-4)


def test_vectors_and_batches(each_equals_eager):
    cases = [
        ((40, 300), (300,)),
        ((300,), (300, 40)),
        ((301,), (301, 50)),
        ((300,), (300,)),
        ((4, 1, 64), (4, 64, 48)),
        ((4, 48, 64), (4, 64, 1)),
    ]
    functions, args = products(torch.matmul, cases)
    each_equals_eager(functions, args, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("columns", [5, 50, 64, 197, 300])
def test_a_matrix_that_lies_across(compiled, columns):
    def function(matrix, vector):
        return matrix.T @ vector + 1, (matrix * vector[:, None]).sum(0), (matrix.T * vector).amax(-1)

    args = [torch.randn(shape) for shape in ((130, columns), (130,))]
    torch.testing.assert_close(compiled(function)(*args), function(*args), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("depth", [7, 768])
def test_alone(compiled, depth):
    x, w = torch.randn(1, depth), torch.randn(64, depth)
    torch.testing.assert_close(compiled(F.linear)(x, w), F.linear(x, w), atol=1e-4, rtol=1e-4)


def test_a_residual_and_a_norm(compiled):
    def function(x, w):
        return F.layer_norm(F.linear(x, w) + x, (64,))

    x, w = torch.randn(1, 64), torch.randn(64, 64)
    torch.testing.assert_close(compiled(function)(x, w), function(x, w), atol=1e-4, rtol=1e-4)
