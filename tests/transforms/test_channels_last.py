"""Convolutions and poolings with the channels last equal eager, whatever their form."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F


def check(compiled, function, *args, dynamic=False, tolerance=1e-4) -> None:
    run = compiled(function, dynamic=dynamic, placement="compiled")
    actual, expected = run(*args), function(*args)
    torch.testing.assert_close(actual, expected, atol=tolerance, rtol=tolerance)
    assert actual.stride() == expected.stride()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("groups", [1, 8])
def test_types(compiled, dtype, groups):
    x, w = torch.randn(2, 8, 9, 10, dtype=dtype), torch.randn(8, 8 // groups, 3, 3, dtype=dtype)
    check(compiled, lambda x, w: F.max_pool2d(F.conv2d(x, w, groups=groups), 2), x, w, tolerance=2e-2)


@pytest.mark.parametrize("groups", [1, 8])
def test_dynamic_sizes(compiled, groups):
    layer = torch.nn.Conv2d(8, 8, 3, padding=1, groups=groups).requires_grad_(False)
    check(compiled, lambda x: F.avg_pool2d(layer(x).relu(), 2), torch.randn(2, 8, 9, 10), dynamic=True)


FOLLOWED = {
    "poolings": lambda y: F.max_pool2d(y, 3, 2, 1) + F.avg_pool2d(y, 3, 2, 1),
    "poolings in a row": lambda y: F.max_pool2d(F.max_pool2d(y, 2), 2),
    "dilated pooling": lambda y: F.max_pool2d(y, 2, 1, 0, 2),
    "ceiled pooling": lambda y: F.avg_pool2d(y, 3, 2, 1, ceil_mode=True, count_include_pad=False),
    "used twice": lambda y: F.conv2d(F.hardswish(y), y[:1, :, :3, :3].expand(8, 8, 3, 3)),
    "shuffled": lambda y: F.pixel_shuffle(y, 2),
    "reduced": lambda y: y.mean((2, 3)),
    "of NaN": lambda y: y.masked_fill(y > 1, float("nan")).nan_to_num(7.0),
}


@pytest.mark.parametrize("memory", [torch.contiguous_format, torch.channels_last], ids=str)
def test_what_follows(each_equals_eager, memory):
    x, w = torch.randn(2, 8, 9, 10).to(memory_format=memory), torch.randn(8, 8, 3, 3)
    functions = {
        name: lambda x, w, follow=follow: follow(F.conv2d(x, w, padding=1))
        for name, follow in FOLLOWED.items()
    }
    actual = each_equals_eager(functions, x, w, atol=1e-3, rtol=1e-3)
    for name, function in functions.items():
        assert actual[name].stride() == function(x, w).stride()


@pytest.mark.parametrize("follower", ["poolings", "poolings in a row", "used twice"])
def test_alone(compiled, follower):
    x, w = torch.randn(2, 8, 9, 10), torch.randn(8, 8, 3, 3)
    check(compiled, lambda x, w: FOLLOWED[follower](F.conv2d(x, w, padding=1)), x, w, tolerance=1e-3)
