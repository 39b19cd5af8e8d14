"""Slices that begin within what a GPU reads at once, of every type, read, written and padded."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

TYPES = (torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.int16, torch.int8)


def twice(x):
    return x * 2


def written(x, start):
    out = torch.zeros(x.shape[0], 2 * x.shape[1], dtype=x.dtype, device=x.device) + 1
    out[:, start : start + x.shape[1]] = twice(x)
    return twice(out)


PARTS = {
    "one": lambda x: twice(x[:, 1:17]),
    "two": lambda x: twice(x[:, 2:18]),
    "four": lambda x: twice(x[:, 4:20]),
    "pairs": lambda x: twice(x[:, 1:3]),
    "six": lambda x: twice(x[:, 1:7]),
    "two parts": lambda x: x[:, 1:17] + x[:, 3:19],
    "then a sum": lambda x: x[:, 1:17].sum(-1),
    "down columns": lambda x: twice(x[:, 1:17]).sum(0),
    "across": lambda x: twice(x[:, 1:9].t()),
    "of rows of two": lambda x: twice(x.view(8, 16, 2)[:, 1:3]),
    "of rows of three": lambda x: twice(x[:, :24].reshape(8, 8, 3)[:, 1:5]),
    "rows": lambda x: twice(x.view(-1, 2)[1:5]),
    "padded": lambda x: F.pad(twice(x), (1, 3)),
    "padded by two": lambda x: F.pad(twice(x), (2, 30)),
    "padded, rows of two": lambda x: F.pad(twice(x.view(8, 16, 2)), (0, 0, 1, 15)),
    "a part padded": lambda x: F.pad(twice(x[:, 1:9]), (3, 5)),
    "written": lambda x: written(x, 1),
    "joined": lambda x: torch.cat([x[:, :1], twice(x[:, 4:8]), x[:, 1:4], twice(x[:, 3:11])], 1),
}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_each_equals_eager(dtype, each_equals_eager, target, device):
    x = (torch.arange(8 * 32, device=device) % 11).view(8, 32).to(dtype)
    each_equals_eager(PARTS, x, options={"target": target}, rtol=0, atol=0)


@pytest.mark.parametrize("name", PARTS)
def test_alone(name, compiled, target, device):
    x = torch.randn(8, 32, device=device)
    torch.testing.assert_close(compiled(PARTS[name], dynamic=False, target=target)(x), PARTS[name](x))


def test_products(compiled, target, device):
    x = torch.randn(8, 32, device=device)
    run = compiled(lambda x: x[:, 1:9] @ x[:, 3:7], dynamic=False, target=target)
    torch.testing.assert_close(run(x), x[:, 1:9] @ x[:, 3:7], rtol=1e-4, atol=1e-4)


def test_places_that_change(compiled, target, device):
    x = torch.randn(8, 64, device=device)
    run = compiled(lambda x, n: x[:, n : n + 16] * 2, target=target)
    for start in (3, 4, 17):
        torch.testing.assert_close(run(x, start), x[:, start : start + 16] * 2)
