"""Scatters and gathers whose dimension is counted from the back."""

from __future__ import annotations

import pytest
import torch

INDEX = torch.tensor([[0, 1, 1], [1, 0, 0]])
FUNCTIONS = {
    "scatter_add": lambda x: x.scatter_add(-1, INDEX, x),
    "scatter": lambda x: x.scatter(-2, INDEX[:, :2], x * 2),
    "gather": lambda x: x.gather(-1, INDEX),
    "index_add": lambda x: x.index_add(-1, INDEX[1], x),
    "index_select": lambda x: x.index_select(-2, INDEX[0]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name):
    x = torch.randn(2, 3)
    torch.testing.assert_close(compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x))
