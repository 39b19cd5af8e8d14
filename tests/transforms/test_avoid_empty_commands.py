"""Programs of changing sizes some of whose tensors are empty now and then."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "no row before the shift": lambda x: x.roll((1, 3), (1, 0)),
    "no row of products": lambda x: (x @ x.t())[3:].softmax(1) @ x,
    "no row at all": lambda x: (x[3:] + 1, x[3:] * x.sum(0)),
    "no row of sums": lambda x: torch.cat([x, x[3:].cumsum(0) + x.sum()]).softmax(0),
}


@pytest.mark.parametrize("form", FUNCTIONS)
def test_rows_that_change_in_number(compiled, target, device, form):
    run = compiled(FUNCTIONS[form], target=target, dynamic=True)
    for shape in ((5, 4), (3, 4), (7, 2), (3, 2)):
        x = torch.randn(shape, device=device)
        torch.testing.assert_close(run(x), FUNCTIONS[form](x), rtol=1e-5, atol=1e-5)
