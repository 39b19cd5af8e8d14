"""Padding with what is at the border, or reflected there."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

PADS = {1: (2, 1), 2: (2, 1, 0, 3), 3: (1, 1, 2, 0, 3, 1)}


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("dims", PADS)
def test_equal_to_eager(dims, mode, compiled):
    x = torch.randn(2, 3, *(5, 6, 7)[:dims])
    run = compiled(lambda x: F.pad(x, PADS[dims], mode=mode), dynamic=False)
    assert torch.equal(run(x), F.pad(x, PADS[dims], mode=mode))


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_wide_borders_and_none(mode, each_equals_eager):
    functions = {
        "wide": lambda x: F.pad(x, (12, 11), mode=mode),
        "one side": lambda x: F.pad(x, (0, 4), mode=mode),
        "none": lambda x: F.pad(x, (0, 0), mode=mode),
        "without a batch": lambda x: F.pad(x[0], (3, 3), mode=mode),
        "of half": lambda x: F.pad(x.half(), (3, 3), mode=mode),
    }
    each_equals_eager(functions, torch.randn(2, 3, 13), rtol=0, atol=0)


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_sizes_that_change(mode, compiled):
    run = compiled(lambda x: F.pad(x, (2, 1, 1, 0), mode=mode), dynamic=True)
    for size in (4, 9, 33):
        x = torch.randn(1, 3, size, size + 1)
        assert torch.equal(run(x), F.pad(x, (2, 1, 1, 0), mode=mode))


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_gradients(mode, compiled):
    x = torch.randn(1, 2, 6, 6, requires_grad=True)
    (expected,) = torch.autograd.grad((F.pad(x, (2, 1, 1, 0), mode=mode) ** 2).sum(), x)
    run = torch.compile(lambda x: (F.pad(x, (2, 1, 1, 0), mode=mode) ** 2).sum(), backend="myjit_mlir")
    (actual,) = torch.autograd.grad(run(x), x)
    torch.testing.assert_close(actual, expected)


def test_more_than_there_is_to_reflect_is_refused(compiled):
    with pytest.raises(Exception, match=r"(?i)padding size should be less|less than"):
        compiled(lambda x: F.pad(x, (5, 0), mode="reflect"))(torch.randn(2, 3, 5))
