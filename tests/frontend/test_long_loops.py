"""On a device that ends long loops too soon, calls whose sizes make them so run in torch."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from myjit.errors import FallbackWarning, InvokeError
from myjit.targets.cpu import CpuTarget

MOST = 1000

#: What makes arguments from a size, whose loops are longer than MOST at `long` and not at `short`.
FUNCTIONS = {
    "sum": (lambda x: x.sum() + 1, lambda n: (torch.ones(n, n),), 20, 40),
    "rows": (lambda x: x.amax(1), lambda n: (torch.rand(3, n),), 400, 2000),
    "many rows": (lambda x: x.sum(1), lambda n: (torch.rand(n, 5),), None, 2000),
    "softmax": (lambda x: x.softmax(-1), lambda n: (torch.rand(3, n),), 400, 2000),
    "argmax": (lambda x: x.argmax(0), lambda n: (torch.rand(n, 3),), 400, 2000),
    "norm": (lambda x: F.layer_norm(x, x.shape[1:]), lambda n: (torch.rand(3, n),), 400, 2000),
    "product": (lambda x, y: x @ y, lambda n: (torch.rand(2, n), torch.rand(n, 2)), 400, 2000),
    "long product": (lambda x, y: x @ y, lambda n: (torch.rand(n, 5), torch.rand(5, 2)), None, 2000),
    "convolution": (F.conv1d, lambda n: (torch.rand(1, 4, n), torch.rand(2, 4, n)), 200, 400),
    "running sum": (lambda x: x.cumsum(0), lambda n: (torch.rand(n, 3),), 300, 400),
    "writes": (
        lambda x, i, y: x.index_add(0, i, y),
        lambda n: (torch.zeros(5), torch.arange(n) % 5, torch.rand(n)),
        400,
        2000,
    ),
    "pointwise": (lambda x: torch.cat([x.flip(0) * 2, x], 0), lambda n: (torch.rand(n, 3),), None, 2000),
}


@pytest.fixture
def short_loops(monkeypatch):
    monkeypatch.setattr(CpuTarget, "longest_loop", lambda self: MOST)


@pytest.mark.usefixtures("short_loops")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_calls_with_longer_loops_run_in_torch(compiled, name):
    function, make, short, long = FUNCTIONS[name]
    run = compiled(function, dynamic=True)
    for size in (300, long) if short is None else (short,):
        args = make(size)
        torch.testing.assert_close(run(*args), function(*args))
    if short is not None:
        with pytest.raises(InvokeError, match="a loop too long for the device"):
            run(*make(long))


@pytest.mark.usefixtures("short_loops")
def test_the_user_is_told(compiled):
    run = compiled(torch.sum, dynamic=True, fallback="eager")
    assert run(torch.ones(100, 3)) == 300
    with pytest.warns(FallbackWarning, match="a loop too long for the device"):
        assert run(torch.ones(5000, 3)) == 15000
