"""The debug pipeline compiles what the CPU pipeline does."""

from __future__ import annotations

import torch


def test_it_compiles_with_eagers_answer(compiled):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.LayerNorm(8))
    x = torch.randn(3, 4)
    torch.testing.assert_close(compiled(model, pipeline="debug")(x), model(x))
