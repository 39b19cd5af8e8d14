"""Reductions of changing sizes over elements that are read by place: nothing is read beside the tensor."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "from the back": lambda x: (x[0] - x.flip(1)).sum(1),
    "largest from the back": lambda x: (x[0] - x.flip(1)).amax(1),
    "by the row's own values": lambda x: (x[0] * x[:, (x[0] > 0).long()]).sum(1),
    "less what a kernel made, backwards": lambda x: _less_backwards(x.softmax(1)),
}


def _less_backwards(made):
    return (torch.hstack([made, made]).diagonal(1) - made.fliplr()).norm(dim=1)


@pytest.mark.parametrize("form", FUNCTIONS)
def test_sizes_that_change(compiled, target, device, form):
    # IREE has no such reads in what SPIR-V's threads share out: it refuses, and they run in torch.
    fallback = "eager" if target == "vulkan" else "error"
    run = compiled(FUNCTIONS[form], target=target, dynamic=True, fallback=fallback)
    for size in (3, 5, 40):
        x = torch.randn(2**22, device=device)[: size * size].view(size, size)  # at the start of its memory
        torch.testing.assert_close(run(x), FUNCTIONS[form](x), rtol=1e-5, atol=1e-5)
