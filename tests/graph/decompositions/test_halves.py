"""Every number of a half type: functions are as exact as eager's, on each target."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {"sigmoid": torch.sigmoid, "exp2": torch.exp2, "silu": torch.nn.functional.silu}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_number(compiled, target, device, name, dtype):
    x = torch.arange(2**16, device=device).to(torch.int16).view(dtype)
    actual = compiled(FUNCTIONS[name], target=target)(x)
    exact = FUNCTIONS[name](x.double()).to(dtype)
    # Vulkan's devices may give zero for denormal numbers, exp(88.8) is infinite to eager too.
    least = {torch.float16: 6.2e-5 if target == "vulkan" else 6e-8, torch.bfloat16: 2e-36}[dtype]
    torch.testing.assert_close(actual, exact, rtol=2 * torch.finfo(dtype).eps, atol=least, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_numbers_keep_their_digits(compiled, dtype):
    def function(x):
        tensor = torch.tensor(0.1)
        numbers = x * 0.1, 0.7 * x, x / 0.3, x * 20490, x * tensor
        return *numbers, torch.nn.functional.leaky_relu(x, 0.1)

    x = torch.randn(4096).to(dtype)
    torch.testing.assert_close(compiled(function)(x), function(x), rtol=0, atol=0)
