"""Numbers below the least normal one are numbers, on every thread and with every driver."""

from __future__ import annotations

import pytest
import torch

TINY = torch.tensor([1e-40, -2e-41, 1e-45, 1.2e-38, 0.0, -0.0])
FUNCTIONS = {
    "product": lambda x: x * 2,
    "sum": lambda x: x + x,
    "comparison": lambda x: x == 0,
    "quotient": lambda x: x / 1e-40,
    "difference": lambda x: 1.2e-38 - x.abs(),
    "root": lambda x: x.abs().sqrt(),
    "sum of rows": lambda x: x.expand(5, -1).sum(-1),
    "matrices": lambda x: x.expand(6, -1) @ torch.ones(6, 6),
    "smaller type": lambda x: (x * 1e33).half().float() * 2,
    "integer": lambda x: (x != 0).long(),
}


@pytest.mark.parametrize("device", ["auto", "sync", "task"])
def test_small_tensors(each_equals_eager, device):
    each_equals_eager(FUNCTIONS, TINY, options={"device": device}, rtol=0, atol=0)


@pytest.mark.parametrize("device", ["auto", "sync", "task"])
def test_dispatches_that_are_shared(compiled, device):
    x = TINY.repeat(100_000).reshape(1000, -1)

    def function(x):
        return (x == 0).sum(-1), x * 3

    counts, products = compiled(function, device=device)(x)
    assert counts.eq(200).all()
    assert torch.equal(products, x * 3)


def test_dynamic_shapes(compiled):
    run = compiled(FUNCTIONS["quotient"], dynamic=True)
    for n in (1, 6, 1000):
        x = TINY.repeat(n)
        assert torch.equal(run(x), x / 1e-40)


def test_float64(compiled):
    x = torch.tensor([5e-324, -1e-310, 2.3e-308], dtype=torch.float64)
    assert torch.equal(compiled(FUNCTIONS["product"])(x), x * 2)


def test_the_processs_own_mode_stays(compiled):
    run = compiled(FUNCTIONS["product"])
    torch.set_flush_denormal(True)
    try:
        run(TINY)
        assert (TINY * 1).count_nonzero() == 1  # torch still flushes
    finally:
        torch.set_flush_denormal(False)
    run(TINY)
    assert (TINY * 1).count_nonzero() == 4
