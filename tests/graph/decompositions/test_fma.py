"""Compiled optimizers, whose updates decompose to multiply-adds."""

from __future__ import annotations

import copy

import pytest
import torch


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.Adam, torch.optim.SGD, torch.optim.RMSprop])
def test_optimizer_steps_equal_eager(kind):
    theirs = torch.nn.Linear(8, 4)
    ours = copy.deepcopy(theirs)
    x = torch.randn(5, 8)
    for model, run in ((theirs, lambda step: step), (ours, _compiled)):
        optimizer = kind(model.parameters(), lr=1e-2)
        step = run(optimizer.step)
        for _ in range(3):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            step()
    torch.testing.assert_close(list(ours.parameters()), list(theirs.parameters()), rtol=1e-5, atol=1e-6)


def _compiled(step):
    return torch.compile(step, backend="myjit_mlir", options={"fallback": "error"})
