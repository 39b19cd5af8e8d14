"""Which scans and scatters are left to torch."""

from __future__ import annotations

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

from myjit.explanation import explain
from myjit.frontend.series import slow_series

GAINS = {
    "aten.cumsum.default": 2.0,
    "aten.scatter.src": 4.0,
    "aten.index_add.default": 0.5,
    "aten.grid_sampler_2d.default": 5.0,
}
ROWS = torch.ones(1000, 100)
PLACES = torch.zeros(1000, 100, dtype=torch.int64)
GRID = torch.zeros(1, 300, 100, 2)


@pytest.mark.parametrize(
    ("function", "inputs", "count"),
    [
        (lambda x: x.cumsum(1), (ROWS,), 1),
        (lambda x: x.cumsum(-1), (ROWS,), 1),
        (lambda x: x.cumsum(0), (ROWS,), 0),
        (lambda x: x.cumsum(-1), (ROWS[:400],), 0),
        (lambda x: x.cumsum(-1), (PLACES,), 0),
        (lambda x: x.cumprod(-1), (ROWS,), 0),
        (lambda x: x[0, 0].cumsum(0), (ROWS,), 0),
        (lambda x, i: x.scatter(1, i, x), (ROWS, PLACES), 1),
        (lambda x, i: x.scatter(1, i[:200], x), (ROWS, PLACES), 0),
        (lambda x, i: x.index_add(0, i[:, 0], x.repeat(1, 3)[:, :100]), (ROWS, PLACES), 0),
        (lambda x, i: x.repeat(1, 3).index_add(0, i[:, 0], x.repeat(1, 3)), (ROWS, PLACES), 1),
        (lambda x, grid: F.grid_sample(x[None, None], grid, align_corners=False), (ROWS, GRID), 1),
        (lambda x, grid: F.grid_sample(x[None, None], grid, align_corners=False), (ROWS, GRID[:, :50]), 0),
    ],
)
def test_by_how_many_numbers_there_are(function, inputs, count):
    assert len(slow_series(make_fx(function, tracing_mode="fake")(*inputs), GAINS)) == count


def test_torch_runs_the_op_as_it_was_written():
    auto = {"placement": "auto"}
    text = str(explain(lambda x: x.cumsum(-1) + 1, torch.randn(1000, 300), options=auto))
    assert "aten.cumsum.default ×1: torch's own library is faster" in text
    assert "_to_copy" not in text  # the compiled one adds up in float64


def test_what_is_to_be_compiled_is(compiled):
    x = torch.randn(1000, 300)
    run = compiled(lambda x: x.cumsum(-1), placement="compiled")
    torch.testing.assert_close(run(x), x.cumsum(-1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("count", "is_compiled"), [(1000, False), (10, True)])
def test_rows_added_by_place(count, is_compiled):
    """The op would be taken apart before it is known how many numbers there are."""
    x, places, rows = torch.randn(1000, 300), torch.randint(0, 1000, (count,)), torch.randn(count, 300)
    auto = {"placement": "auto"}
    text = str(explain(lambda *all_: torch.index_add(all_[0], 0, *all_[1:]), x, places, rows, options=auto))
    assert ("aten.index_add.default ×1: torch's own library is faster" in text) != is_compiled
