"""What is negated and put before a part of the same tensor stays where eager puts it."""

from __future__ import annotations

import pytest
import torch

HALVES = {
    "rotated": lambda x: torch.cat([-x[..., 4:], x[..., :4]], -1),
    "in their order": lambda x: torch.cat([-x[..., :4], x[..., 4:]], -1),
    "the first twice": lambda x: torch.cat([-x[..., :4], x[..., :4]], -1),
    "the second twice": lambda x: torch.cat([-x[..., 4:], x[..., 4:]], -1),
    "overlapping": lambda x: torch.cat([-x[..., 1:5], x[..., 2:6]], -1),
    "every other": lambda x: torch.cat([-x[..., 1::2], x[..., ::2]], -1),
    "turned over": lambda x: torch.cat([-x[..., 4:].flip(-1), x[..., :4]], -1),
    "squares across": lambda x: torch.cat([-x[:4, 4:].t(), x[:4, :4]], -1),
    "negated across": lambda x: torch.cat([(-x[:4, 4:]).t(), x[:4, :4]], -1),
    "rows": lambda x: torch.cat([-x[4:], x[:4]], 0),
    "rows in their order": lambda x: torch.cat([-x[:4], x[4:]], 0),
    "as another shape": lambda x: torch.cat([-x.view(4, 2, 8)[..., :4], x.view(4, 2, 8)[..., 4:]], -1),
    "with dimensions of one element": lambda x: torch.cat([-x[:1, :4, None], x[:1, 4:, None]], 1),
    "then more": lambda x: torch.cat([-x[..., :4], x[..., 4:]], -1).view(4, 2, 8).relu() * 2,
    "a vector": lambda x: torch.cat([-x[0, :4], x[0, 4:]]),
}


def written(x, negated):
    out = torch.empty_like(x)
    out[:, :4], out[:, 4:] = negated(x), x[:, :4]
    return out


WRITTEN = {
    "rotated": lambda x: written(x, lambda x: -x[:, 4:]),
    "in its place": lambda x: written(x, lambda x: -x[:, :4]),
    "across": lambda x: written(x[:4], lambda x: -x[:, 4:].t()),
    "across, then negated": lambda x: written(x[:4], lambda x: -(x[:, 4:].t().contiguous())),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
@pytest.mark.parametrize("forms", [HALVES, WRITTEN], ids=["concatenated", "written"])
def test_each_equals_eager(forms, dtype, each_equals_eager, target, device):
    x = torch.randn(8, 8, device=device).to(dtype)
    each_equals_eager(forms, x, options={"target": target}, rtol=1e-5, atol=0)


@pytest.mark.parametrize("name", HALVES)
def test_alone(name, compiled):
    x = torch.randn(8, 8)
    torch.testing.assert_close(compiled(HALVES[name], dynamic=False)(x), HALVES[name](x))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_sizes_that_change(count, compiled):
    def program(x, y):
        n = x.shape[1] // 2
        return (
            torch.cat([-x[:, :n], x[:, n:]], 1),
            torch.cat([-y[:, 4:], y[:, :4]], 1),
            torch.cat([-y[:n, :4], y[:n, 4:]], 1),
        )

    run = compiled(program, dynamic=True)
    args = [torch.randn(3, 2 * count), torch.randn(5 + count, 8)]
    torch._dynamo.mark_dynamic(args[1], 0)
    torch.testing.assert_close(run(*args), program(*args))


def test_gradients(compiled):
    x = torch.randn(8, 8, requires_grad=True)
    run = compiled(lambda x: HALVES["in their order"](x.sin()) * x, dynamic=False)
    (actual,) = torch.autograd.grad(run(x).square().sum(), x)
    (expected,) = torch.autograd.grad((HALVES["in their order"](x.sin()) * x).square().sum(), x)
    torch.testing.assert_close(actual, expected)
