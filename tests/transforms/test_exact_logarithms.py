"""Every digit of logarithms, of denormal numbers too."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {"log": torch.log, "log2": torch.log2}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, name):
    bits = torch.cat([torch.arange(0, 2**23, 997), torch.arange(2**23, 2**31, 104_729)])
    x = bits.to(torch.int32).view(torch.float32)
    actual, exact = compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x.double())
    torch.testing.assert_close(actual, exact.float(), rtol=1e-6, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_every_number_of_a_half_type(compiled, dtype, name):
    x = torch.arange(2**16).to(torch.int16).view(dtype)
    actual, exact = compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x.double()).to(dtype)
    torch.testing.assert_close(actual, exact, rtol=torch.finfo(dtype).eps, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_where_there_is_no_number(compiled, name):
    x = torch.tensor([0.0, -0.0, -1.0, -1e-45, torch.inf, -torch.inf, torch.nan])
    torch.testing.assert_close(compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x), equal_nan=True)


def test_a_mask_of_the_least_number(compiled):
    mask = torch.tensor([0.0, 1.0, 1.0, 0.0])

    def masked(x):
        return (x + (mask + 1e-45).log()).log_softmax(-1)

    x = torch.randn(3, 4)
    torch.testing.assert_close(compiled(masked)(x), masked(x))


@pytest.mark.parametrize("name", ["log1p", "asinh", "softplus"])
def test_near_one_on_each_target(compiled, target, device, name):
    function = {"softplus": torch.nn.functional.softplus}.get(name) or getattr(torch, name)
    sizes = torch.logspace(-36, 37, 4000)
    x = torch.cat([sizes, -sizes[sizes < 0.99], torch.linspace(-0.95, 3, 4000)])
    actual, exact = compiled(function, target=target)(x.to(device)).cpu(), function(x.double()).float()
    torch.testing.assert_close(actual, exact, rtol=4e-6, atol=1e-37)


def test_denormal_numbers_on_each_target(compiled, target, device):
    if target == "vulkan":
        pytest.skip("Vulkan's devices may take denormal numbers for zero")
    x = torch.tensor([1e-45, 1e-40, 1e-38, 2e-38])
    torch.testing.assert_close(compiled(torch.log, target=target)(x.to(device)).cpu(), x.log())
