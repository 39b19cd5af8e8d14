"""Results that are the same as others, as the compiler finds out: they are not taken for a third."""

from __future__ import annotations

import pytest
import torch


def _later(x):
    again = x.tril().tril()
    return torch.where(x.tril() > 0, x, x.tril()), again


def _of_rows(x):
    down = x.amax(-1, keepdim=True) - x
    up = down.amax(-1, keepdim=True) - down
    return up.remainder(5).neg().neg(), up, up.remainder(5)


def _counted(x):
    whole = x.sum((0, 1, 2)).count_nonzero()
    once = whole.count_nonzero()
    return whole, once, once.count_nonzero(), once.view(1).count_nonzero()


def _seen_otherwise(x):
    once = x.where(x > 1, 0)
    return x, once, once.flatten().where(x.flatten() > 1, 0), once[None].where(x[None] > 1, 0)


FUNCTIONS = {
    "numbers counted": _counted,
    "of what is seen otherwise": _seen_otherwise,
    "a triangle of a triangle": lambda x: (x, x.tril(), x.tril().tril()),
    "and what reads both": _later,
    "sums between": lambda x: (x.sum(0), x.tril(), x.tril().tril()),
    "where, twice": lambda x: (x, x.where(x > 1, 0), x.where(x > 1, 0).where(x > 1, 0)),
    "of rows": _of_rows,
    "filled, twice": lambda x: (
        x,
        x.masked_fill(x[0] > 1, 3),
        x.masked_fill(x[0] > 1, 3).masked_fill(x[0] > 1, 3),
    ),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, target, device, name, dynamic):
    def function(x):
        return FUNCTIONS[name](x * 3 + 1)

    run = compiled(function, target=target, dynamic=dynamic)
    for rows in (16, 5):
        x = torch.randint(-9, 9, (rows, 5, 3), device=device).float()
        torch.testing.assert_close(run(x), function(x))
