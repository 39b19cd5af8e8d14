"""What few numbers need is computed for them, and for vectors that hold any of them."""

from __future__ import annotations

import pytest
import torch

from myjit.pipelines.cpu import PIPELINE

#: Of none, one in thousands, every other, and all numbers the sine is the long way's.
FAR = {"none": 0, "one": 1, "some": 2000, "all": 4096}


@pytest.mark.parametrize("least", [2, 8, 32])
@pytest.mark.parametrize("many", FAR)
def test_equal_to_eager(many: str, least: int, compiled):
    def function(x):
        return torch.sin(x) * torch.cos(x) + torch.erf(x) + torch.log1p(x.abs())

    x = torch.randn(4096)
    places = torch.randperm(4096)[: FAR[many]]
    x[places] *= 1e12
    pipeline = PIPELINE.with_option("branch-around.least", least)
    run = compiled(function, dynamic=False, pipeline=pipeline)
    torch.testing.assert_close(run(x), function(x), atol=2e-6, rtol=2e-6)


def test_equal_to_what_it_is_without(compiled):
    def function(x):
        return torch.sin(x), torch.tan(x.double()).sum(-1)

    x = torch.randn(3, 1000) * torch.tensor([1e-3, 1e3, 1e30])[:, None]
    alone = compiled(function, dynamic=False, pipeline=PIPELINE.without("branch-around"))(x)
    torch._dynamo.reset()
    for one, other in zip(compiled(function, dynamic=False)(x), alone, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("shape", [(17, 7, 8), (17, 16, 8), (17, 1, 8)])
def test_lanes_that_nothing_reads(shape, compiled):
    """They are poison where the last rows of a square are missing: a branch on them took any way at all."""
    x = torch.rand(shape)
    for function in (torch.log, torch.sin, lambda y: y.logit(0.1), lambda y: torch.fmod(y, 0.3)):
        torch._dynamo.reset()
        run = compiled(lambda x, function=function: function(x.transpose(2, 0).contiguous()), dynamic=False)
        torch.testing.assert_close(run(x), function(x.transpose(2, 0).contiguous()))
