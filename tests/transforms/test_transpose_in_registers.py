"""What lies across other tensors is read in blocks: for sizes that divide, and sizes that do not."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "added": lambda x, y: x.transpose(-1, -2) + y,
    "images": lambda x, y: x.unflatten(-1, (1, -1)).permute(0, 3, 2, 1)[..., 0] * 2 - y,
    "masked": lambda x, y: torch.where(x.transpose(-1, -2) > 0, y, 0),
    "copied": lambda x, _: x.transpose(-1, -2).contiguous(),
    "both ways": lambda x, y: (x.transpose(-1, -2) - y).transpose(-1, -2).contiguous(),
    "backwards": lambda x, y: x.permute(2, 1, 0) * y.permute(1, 2, 0),
}
SUMS = {
    "rows": lambda x, y: (x.transpose(-1, -2) * y).sum(-1),
    "columns": lambda x, y: (x.transpose(-1, -2) * y).sum(-2),
    "all": lambda x, y: (x.transpose(-1, -2) * y).sum(),
    "greatest": lambda x, y: (x.transpose(-1, -2) + y).amax(-1),
    "across only": lambda x, _: (x.transpose(-1, -2) * 2).sum(-1),
    "softmax": lambda x, _: x.transpose(-1, -2).softmax(-1),
    "mixed softmax": lambda x, y: (x.transpose(-1, -2) + y).softmax(-1),
}
SHAPES = [(2, 48, 64), (3, 33, 17), (1, 7, 130)]


def pairs(dtype=torch.float32, scale=1):
    for n, rows, columns in SHAPES:
        shapes = ((n, rows, columns), (n, columns, rows))
        yield [(torch.randn(shape) * scale).to(dtype) for shape in shapes]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name, dynamic):
    run = compiled(FUNCTIONS[name], dynamic=dynamic)
    for x, y in pairs():
        torch.testing.assert_close(run(x, y), FUNCTIONS[name](x, y))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.int32, torch.int8])
def test_elements_of_other_widths(compiled, dtype):
    run = compiled(FUNCTIONS["added"])
    for x, y in pairs(dtype, 8):
        torch.testing.assert_close(run(x, y), FUNCTIONS["added"](x, y))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", SUMS)
def test_sums_equal_eager(compiled, name, dynamic):
    run = compiled(SUMS[name], dynamic=dynamic)
    for x, y in pairs():
        torch.testing.assert_close(run(x, y), SUMS[name](x, y), rtol=1e-4, atol=1e-4)
