"""Gradients of average pooling equal eager's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

IMAGES = {
    "windows": lambda x: F.avg_pool2d(x, 2),
    "overlapping": lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 0)),
    "apart": lambda x: F.avg_pool2d(x, 2, 3),
    "without padding": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "cut": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "cut, without padding": lambda x: F.avg_pool2d(x, 2, 2, 1, ceil_mode=True, count_include_pad=False),
    "divided": lambda x: F.avg_pool2d(x, 2, divisor_override=3),
    "of one image": lambda x: F.avg_pool2d(x[0], 2),
    "of lines": lambda x: F.avg_pool1d(x[0], 3, 2, 1),
    "of volumes": lambda x: F.avg_pool3d(x, 2, 1, 1, ceil_mode=True),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, (3, 4)),
    "adaptive, whole": lambda x: F.adaptive_avg_pool2d(x, (1, 2)),
    "adaptive, of volumes": lambda x: F.adaptive_avg_pool3d(x, (2, 3, 1)),
    "adaptive, more than there are": lambda x: F.adaptive_avg_pool2d(x, (9, 2)),
}


def gradients(function, x):
    x = x.clone().requires_grad_()
    function(x).backward()
    return x.grad


def test_gradients(compiled, subtests):
    weights = {name: torch.randn_like(pool(torch.ones(2, 3, 7, 6))) for name, pool in IMAGES.items()}

    def program(x):
        return {name: pool(x) * weights[name] for name, pool in IMAGES.items()}

    run, x = compiled(program), torch.randn(2, 3, 7, 6)
    for name in IMAGES:
        with subtests.test(name):
            actual = gradients(lambda x, name=name: run(x)[name].sum(), x)
            expected = gradients(lambda x, name=name: program(x)[name].sum(), x)
            torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("form", ["overlapping", "cut, without padding", "adaptive"])
def test_changing_sizes(compiled, form):
    run = compiled(lambda x: IMAGES[form](x).square().sum(), dynamic=True)
    for size in (6, 9):
        x = torch.randn(2, 3, size, size + 1)
        expected = gradients(lambda x: IMAGES[form](x).square().sum(), x)
        torch.testing.assert_close(gradients(run, x), expected, rtol=1e-4, atol=1e-5)
