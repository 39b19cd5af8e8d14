"""Tensors without elements among others: nothing crashes, and sums over nothing are zero."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "product over nothing": lambda: (torch.mm, torch.randn(3, 0), torch.randn(0, 4)),
    "batched": lambda: (torch.bmm, torch.randn(2, 3, 0), torch.randn(2, 0, 4)),
    "product without rows": lambda: (torch.mm, torch.randn(0, 3), torch.randn(3, 4)),
    "added": lambda: (torch.addmm, torch.randn(4), torch.randn(3, 0), torch.randn(0, 4)),
    "concatenation": lambda: (lambda *xs: torch.cat(xs) * 2, torch.randn(0, 3), torch.randn(2, 3)),
    "stack": lambda: (lambda *xs: torch.stack(xs), torch.randn(0, 3), torch.randn(0, 3)),
    "shuffle": lambda: (lambda x: torch.pixel_shuffle(x + 1, 1), torch.randn(1, 0, 1, 1)),
    "sum": lambda: (lambda x: (x * 2).sum(0) + 1, torch.randn(0, 3)),
    "index": lambda: (lambda x, i: x[i] * 2, torch.randn(5), torch.zeros(0, dtype=torch.int64)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name):
    function, *args = FUNCTIONS[name]()
    torch.testing.assert_close(compiled(function)(*args), function(*args))
