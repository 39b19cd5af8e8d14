"""Averages of windows, to the last bit and in eager's layout."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

AVERAGES = {
    "windows": lambda x: F.avg_pool2d(x, 2),
    "overlapping": lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 0)),
    "apart": lambda x: F.avg_pool2d(x, 2, 3),
    "as many as there are": lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False),
    "without padding": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "cut": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "cut, without padding": lambda x: F.avg_pool2d(x, 2, 2, 1, ceil_mode=True, count_include_pad=False),
    "divided": lambda x: F.avg_pool2d(x, 2, divisor_override=3),
    "added up": lambda x: F.avg_pool2d(x, 2, divisor_override=1),
    "of one element": lambda x: F.avg_pool2d(x, 1),
    "of one image": lambda x: F.avg_pool2d(x[0], 2),
    "of lines": lambda x: F.avg_pool1d(x[0], 3, 2, 1),
    "of volumes": lambda x: F.avg_pool3d(x, 2, 1, 1, ceil_mode=True),
    "of many places": lambda x: F.avg_pool2d(F.pad(x, (8, 8, 8, 8)), 8, 2, 1),
    "of one image, of many places": lambda x: F.avg_pool2d(F.pad(x[0], (8, 8, 8, 8)), 8, 2),
}


@pytest.mark.parametrize("shape", [(2, 3, 7, 40), (2, 2, 5, 5)], ids=str)
@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last], ids=str)
def test_equal_to_eager(each_equals_eager, shape, memory_format):
    x = torch.randn(shape).contiguous(memory_format=memory_format)
    exact = {name: function for name, function in AVERAGES.items() if "many" not in name}
    actual = each_equals_eager(exact, x, rtol=0, atol=0)
    assert {name: y.stride() for name, y in actual.items()} == {
        name: function(x).stride() for name, function in exact.items()
    }


def test_windows_of_many_places(each_equals_eager):
    each_equals_eager({n: f for n, f in AVERAGES.items() if "many" in n}, torch.randn(2, 3, 7, 6))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_types(each_equals_eager, dtype):
    names = ("overlapping", "cut, without padding", "of lines")
    each_equals_eager({name: AVERAGES[name] for name in names}, torch.randn(2, 3, 7, 6).to(dtype))


def test_targets(each_equals_eager, target, device):
    names = ("windows", "without padding", "cut", "of volumes")
    x = torch.randn(2, 3, 7, 6, device=device)
    each_equals_eager({name: AVERAGES[name] for name in names}, x, options={"target": target})


@pytest.mark.parametrize("name", ["overlapping", "cut", "of one image"])
def test_sizes_that_change(compiled, name):
    run = compiled(AVERAGES[name], dynamic=True)
    for size in (6, 9):
        x = torch.randn(2, 3, size, size + 1)
        torch.testing.assert_close(run(x), AVERAGES[name](x))
