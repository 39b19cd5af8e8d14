"""Reads at places along any dimensions, of sizes that change."""

from __future__ import annotations

import pytest
import torch

READS = {
    "last": lambda x, i, j: x[..., i],
    "last two": lambda x, i, j: x[..., i, j],
    "apart": lambda x, i, j: x[i, :, j],
    "apart, of two dimensions": lambda x, i, j: x[i[:, None], :, j],
    "behind the first, apart": lambda x, i, j: x[:, i, :, j],
    "behind the first, together": lambda x, i, j: x[:, i[:, None], j],
    "three": lambda x, i, j: x[i, :, j, i],
    "with a number": lambda x, i, j: x[:, i, None, i, 0],
    "in a row": lambda x, i, j: x.mT.take(i[:, None] * j),
}


@pytest.mark.parametrize("dynamic", [False, True])
def test_equal_to_eager(target, device, each_equals_eager, dynamic):
    x = torch.randn(5, 5, 5, 5, device=device)
    i, j = torch.tensor([2, 0, -1], device=device), torch.tensor([1, 3, -2], device=device)
    actual = each_equals_eager(READS, x, i, j, options={"target": target, "dynamic": dynamic})
    assert actual["last two"].stride() == READS["last two"](x, i, j).stride()


@pytest.mark.parametrize("form", ["apart", "last two"])
def test_gradients_of_sizes_that_change(compiled, form):
    run = compiled(READS[form], dynamic=True)
    for size, count in ((5, 3), (6, 4), (4, 7)):
        x, y = (torch.ones(size, size, size, size, requires_grad=True) for _ in range(2))
        i, j = torch.randint(-size, size, (count,)), torch.randint(-size, size, (count,))
        READS[form](x, i, j).cumsum(0).square().sum().backward()
        run(y, i, j).cumsum(0).square().sum().backward()
        torch.testing.assert_close(y.grad, x.grad)


def test_places_in_a_row_out_of_range(compiled):
    run = compiled(lambda x, i: x.take(i) + 1)
    x = torch.randn(3, 4)
    assert torch.equal(run(x, torch.tensor([11, -12])), x.take(torch.tensor([11, -12])) + 1)
    with pytest.raises(IndexError, match="out of bounds"):
        run(x, torch.tensor([0, 12]))
