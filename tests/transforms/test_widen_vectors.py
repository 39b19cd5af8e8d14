"""Wider vectors change how fast, not what: for sizes that divide, sizes that do not, and primes."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "pointwise": lambda x: torch.tanh(x) * x + 1,
    "pointwise by rows": lambda x: torch.sigmoid(x - x[:, :1]) + x[0],
    "sum of columns": lambda x: x.sum(0),
    "sum of rows": lambda x: x.sum(-1),
    "softmax": lambda x: x.softmax(-1),
    "softmax of columns": lambda x: x.softmax(0),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[1:]),
    "greatest": lambda x: x.amax(0),
    "middle": lambda x: x.unsqueeze(0).expand(3, -1, -1).sum((0, 2)),
}
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 2e-2}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(name: str, compiled):
    function = FUNCTIONS[name]
    run = compiled(function, dynamic=False)
    for shape, dtype in (
        ((64, 128), torch.float32),
        ((5, 197), torch.float32),
        ((37, 24), torch.float64),
        ((33, 48), torch.bfloat16),
    ):
        if dtype == torch.float64 and name == "pointwise":
            continue  # IREE has no tanh in float64
        x = torch.randn(shape, dtype=torch.float64).to(dtype)
        torch.testing.assert_close(run(x), function(x), atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype])


def test_integers_are_exact(compiled):
    run = compiled(lambda x: (x + 1).sum(0), dynamic=False)
    for dtype in (torch.int8, torch.int32, torch.int64):
        x = torch.randint(-100, 100, (64, 96)).to(dtype)
        torch.testing.assert_close(run(x), (x + 1).sum(0))
