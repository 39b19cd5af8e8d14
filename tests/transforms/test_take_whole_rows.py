"""How work is shared out changes how fast, not what: for rows of all lengths."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "rows": lambda x: x + x[0],
    "numbers of rows": lambda x: (x - x[:, :1]).relu(),
    "channels": lambda x: x.unflatten(-1, (-1, 1, 1)) * x[0, 0],
    "normalized": lambda x: F.batch_norm(x[None], x[:, 0], x[:, 1].abs()).relu(),
    "heads": lambda x: x.unflatten(0, (1, -1)).transpose(0, 1).contiguous() * 2,
}
SHAPES = [(4, 16), (5, 4099), (2, 60000), (700, 31), (3, 8192), (2, 12288)]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name, dynamic):
    run = compiled(FUNCTIONS[name], dynamic=dynamic)
    for shape in SHAPES:
        x = torch.randn(shape)
        torch.testing.assert_close(run(x), FUNCTIONS[name](x))
