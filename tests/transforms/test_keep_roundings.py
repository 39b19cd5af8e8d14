"""What is rounded to bfloat16 stays rounded, and what a rounding loses is not nothing."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "lost": lambda x: x - x.bfloat16().float(),
    "lost of a computed one": lambda x: x * 2 + 1 - (x * 2 + 1).bfloat16(),
    "rounded twice": lambda x: ((x + 1).bfloat16().float() * 3).bfloat16().float(),
    "lost in a sum": lambda x: (x.bfloat16().float() - x).abs().amax(-1),
    "reversed": lambda x: x.flip(0).bfloat16().float() - x.flip(0),
    "across": lambda x: x.mT.bfloat16() - x.mT,
    "of a greatest one": lambda x: x - x.amax(-1, keepdim=True).bfloat16(),
    "of the greatest of all": lambda x: x.amax().bfloat16() - x.amax(),
    "chosen": lambda x: torch.where(x > 0, x.bfloat16().float(), x) - x,
    "arithmetic": lambda x: (x.bfloat16() + 1).float() - (x.bfloat16().float() + 1),
    "to float16": lambda x: x * 2 - (x * 2).half(),
}


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (64, 64), (7, 130)])
def test_equal_to_eager(each_equals_eager, target, device, shape):
    x = torch.randn(shape, device=device)
    each_equals_eager(FUNCTIONS, x, options={"target": target}, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_alone(compiled, name):
    x = torch.randn(33, 40)
    torch.testing.assert_close(compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_what_no_number_is_stays_so(compiled, target, device, dtype):
    numbers = [torch.nan, torch.inf, -torch.inf, -0.0, 1e5, 6e-5, -3e-6, 6e-8, 1.00390625, 1.01171875]
    x = torch.tensor(numbers, device=device)

    def function(x):
        return ((x * 2).to(dtype).float() * 3).to(dtype).float(), x.to(dtype).float()

    actual, expected = compiled(function, target=target)(x), function(x)
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)
