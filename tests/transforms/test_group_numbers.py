"""Many tensors of one element are computed, in kernels of as many as IREE's runtime can hand to one."""

from __future__ import annotations

from functools import reduce

import pytest
import torch

MANY = 70

FUNCTIONS = {
    "counters": lambda xs: [x + 1 for x in xs],
    "counters in place": lambda xs: [x.add_(1) for x in xs],
    "a sum": lambda xs: reduce(torch.add, xs),
    "results of one": lambda xs: [xs[0] * count for count in range(MANY)],
    "extremes": lambda xs: (reduce(torch.maximum, xs), reduce(torch.minimum, xs)),
    "sums of one element": lambda xs: [x.sum() for x in xs],
    "put together": lambda xs: torch.stack([x.sum() for x in xs]).sum(),
    "norms that clip": lambda xs: [x / (torch.stack([x.float().abs() for x in xs]).sum() + 1) for x in xs],
    "powers of decays": lambda xs: [y for x in xs for y in (x * 2 + 1, x * x)],
}


@pytest.mark.parametrize("kind", ["int64", "float32", "int64 of one dimension", "float32 of one dimension"])
@pytest.mark.parametrize("form", FUNCTIONS)
def test_equal_to_eager(compiled, target, device, form, kind):
    def function(*xs):
        return FUNCTIONS[form](xs)

    dtype = getattr(torch, kind.split()[0])
    shape = (1,) if "dimension" in kind else ()
    xs = [torch.full(shape, number, dtype=dtype, device=device) for number in range(MANY)]
    expected = function(*(x.clone() for x in xs))
    torch.testing.assert_close(compiled(function, target=target)(*xs), expected)


def test_inputs_that_are_written(compiled, target, device):
    def function(*xs):
        for x in xs:
            x.add_(1)
        return sum(xs)

    xs = [torch.full((), number, device=device) for number in range(MANY)]
    assert compiled(function, target=target)(*xs) == sum(range(1, MANY + 1))
    assert [x.item() for x in xs] == list(range(1, MANY + 1))
