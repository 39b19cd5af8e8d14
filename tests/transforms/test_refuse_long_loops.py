"""What a Vulkan driver would leave out of long loops is computed in torch."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch.nn import functional as F

from myjit.targets import vulkan

pytestmark = pytest.mark.vulkan

FUNCTIONS = {
    "amax": (lambda x: x.amax(), (2**17,)),
    "amax of a prime number": (lambda x: x.amax(), (1000003,)),
    "argmax": (lambda x: x.argmax(1), (2, 2**17)),
    "softmax": (lambda x: x.softmax(1), (2, 2**17)),
    "product": (lambda x: x @ x.t(), (3, 2**17)),
    "convolution": (lambda x: F.conv2d(x, x), (1, 64, 64, 64)),
    "running sum": (lambda x: x.cumsum(0), (2**17,)),
    "writes": (lambda x: x.new_zeros(5).index_add(0, torch.arange(x.numel()) % 5, x), (2**17,)),
    "sum": (lambda x: x.sum(), (2**20,)),
    "columns": (lambda x: x.sum(0), (2**17, 8)),
    "channels": (lambda x: x.sum((0, 2, 3)), (16, 16, 128, 128)),
    "prime": (lambda x: x.mean(), (1000003,)),
}


@pytest.fixture
def device():
    found = vulkan.own_device()
    if isinstance(found, str):
        pytest.skip(f"target vulkan: {found}")
    return found


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equal_to_eager(compiled, name):
    function, shape = FUNCTIONS[name]
    x = torch.linspace(0, 1, torch.Size(shape).numel()).view(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is left to torch depends on the device
        actual = compiled(function, target="vulkan", fallback="eager")(x)
    torch.testing.assert_close(actual, function(x), rtol=1e-4, atol=1e-5)


def test_llvmpipe_says_that_it_is_one(device):
    if not device.driver.startswith("llvmpipe"):
        pytest.skip(f"the Vulkan device is no llvmpipe: {device.driver}")
    assert device.longest_loop == vulkan.TARGET.longest_loop() == 16383
    assert "loops:16383" in vulkan.TARGET.identity()
