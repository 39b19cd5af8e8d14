"""Results of kernels that read no tensors, known when the program is compiled, and equal ones."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "a place and a number": lambda x: x[:1].scatter(0, x[:1].argmax(0, keepdim=True), 3),
    "places and numbers": lambda x: x.index_put((torch.zeros_like(x, dtype=torch.long),), torch.tensor(7.0)),
    "rows": lambda x: x[None].scatter(0, x[None].argmax(0, keepdim=True), 3),
    "added": lambda x: x[:1].scatter_add(0, x[:1].argmin(0, keepdim=True), torch.ones_like(x[:1]) * 2),
    "largest of equals": lambda x: torch.stack((torch.full_like(x, 5), torch.full_like(x, 5))).max(0),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", FUNCTIONS)
def test_equal_to_eager(compiled, target, device, form, dynamic):
    run = compiled(FUNCTIONS[form], target=target, dynamic=dynamic)
    for size in (8, 5, 9):
        x = torch.randint(-9, 9, (size,), device=device).float()
        torch.testing.assert_close(run(x), FUNCTIONS[form](x))


def test_results_that_are_computed_alike(each_equals_eager, target, device):
    def sizes(x):
        turned, flat = x.mT.abs().mT, x.flatten().abs().view(x.shape)
        return turned, flat / (1 + turned.abs()), flat

    x = torch.randn(16, 16, device=device)
    each_equals_eager({"sizes": sizes}, x, options={"target": target, "dynamic": False})
