"""Windows of images as columns."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

WINDOWS = {
    "whole steps": {"kernel_size": 2, "stride": 2},
    "some left over": {"kernel_size": (3, 2), "stride": (3, 2)},
    "over each other": {"kernel_size": 3},
    "padded": {"kernel_size": (3, 2), "padding": (2, 1), "stride": (1, 2)},
    "apart": {"kernel_size": 2, "dilation": (3, 2), "padding": 1},
    "large": {"kernel_size": 7, "padding": 3},
    "large, side by side": {"kernel_size": 8, "stride": 8},
    "one place": {"kernel_size": 1},
}


@pytest.mark.parametrize("shape", [(2, 3, 16, 17), (3, 11, 8)])
def test_equal_to_eager(shape, each_equals_eager):
    functions = {name: lambda x, form=form: F.unfold(x, **form) for name, form in WINDOWS.items()}
    each_equals_eager(functions, torch.randn(shape), rtol=0, atol=0)


def test_too_large_for_the_image(compiled):
    with pytest.raises(RuntimeError, match="calculated shape"):
        compiled(lambda x: F.unfold(x, 9), dynamic=False)(torch.randn(1, 1, 4, 4))


def test_sizes_that_change(compiled):
    run = compiled(lambda x: F.unfold(x, 3, padding=1), dynamic=True)
    for size in (4, 9, 33):
        x = torch.randn(1, 3, size, size + 1)
        assert torch.equal(run(x), F.unfold(x, 3, padding=1))


def test_gradients(compiled):
    x = torch.randn(1, 2, 6, 6, requires_grad=True)
    compiled(lambda x: F.unfold(x, 3).square().sum(), dynamic=False)(x).backward()
    found, x.grad = x.grad, None
    F.unfold(x, 3).square().sum().backward()
    torch.testing.assert_close(found, x.grad)
