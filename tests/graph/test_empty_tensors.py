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
    "written slice": lambda: (
        lambda x: torch.slice_scatter(x * 2, x[:, 1::2], 1, 1, 9, 2),
        torch.randn(4, 1, 3),
    ),
    "scattered": lambda: (
        lambda x, i: (x * 2).scatter_add(0, i, x),
        torch.randn(5),
        torch.zeros(0, dtype=torch.int64),
    ),
    "index": lambda: (lambda x, i: x[i] * 2, torch.randn(5), torch.zeros(0, dtype=torch.int64)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name):
    function, *args = FUNCTIONS[name]()
    torch.testing.assert_close(compiled(function)(*args), function(*args))


def test_an_empty_slice_of_every_other_element(compiled):
    run = compiled(lambda x, y: (x * 2, y + x.sum()), dynamic=True)
    for size in (6, 3, 1):
        x = torch.randn(4, size, 3).transpose(0, 2)[:, 1::2]
        for y in (x, x.transpose(0, 2)):
            torch.testing.assert_close(run(x, y), (x * 2, y + x.sum()))
