"""Loops over many tensors run, in kernels that read and write as many as IREE's runtime can hand to one."""

from __future__ import annotations

from functools import reduce

import pytest
import torch

MANY = 70

FUNCTIONS = {
    "a sum": lambda xs: reduce(torch.add, xs),
    "two results": lambda xs: (reduce(torch.maximum, xs), reduce(torch.minimum, xs)),
    "sums on the way": lambda xs: [sum(xs[:count]) for count in (3, 30, 40, 70)],
    "a softmax": lambda xs: torch.softmax(reduce(torch.add, xs), -1),
    "a norm": lambda xs: (total := reduce(lambda a, b: a * 0.5 + b, xs)) - total.mean(-1, keepdim=True),
    "a product": lambda xs: reduce(torch.add, xs) @ xs[0].mT,
    "rows that are read": lambda xs: sum(x[torch.tensor([2, 0], device=x.device)] for x in xs),
    "rows that are added up": lambda xs: reduce(torch.add, [x.sum(-1) for x in xs]),
}


#: Their kernels need more numbers than the sizes of what they read.
MORE_NUMBERS = ("rows that are read", "rows that are added up")


@pytest.mark.parametrize("form", FUNCTIONS)
def test_equal_to_eager(compiled, target, device, form):
    def function(*xs):
        return FUNCTIONS[form](xs)

    xs = [torch.randn(5, 7, device=device) for _ in range(MANY)]
    torch.testing.assert_close(compiled(function, target=target)(*xs), function(*xs), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("form", FUNCTIONS)
def test_sizes_that_change(compiled, target, device, form):
    def function(*xs):
        return FUNCTIONS[form](xs)

    fallback = "eager" if form in MORE_NUMBERS else "error"
    run = compiled(function, target=target, dynamic=True, fallback=fallback)
    for rows in (5, 8):
        xs = [torch.randn(rows, 7, device=device) for _ in range(MANY)]
        torch.testing.assert_close(run(*xs), function(*xs), rtol=1e-5, atol=1e-4)
