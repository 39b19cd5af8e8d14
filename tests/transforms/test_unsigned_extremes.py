"""The largest and the least of integers, of both signs and of rows of all lengths."""

from __future__ import annotations

import pytest
import torch

FUNCTIONS = {
    "largest": lambda x: x.amax(-1),
    "least": lambda x: x.amin(-1),
    "of all": lambda x: (x.amax(), x.amin()),
    "of columns": lambda x: (x.amax(0), x.amin(0)),
    "of computed ones": lambda x: (x // 2).amin(-1) + 1,
}
PLACES = {"largest": lambda x: x.max(-1), "least": lambda x: x.min(-1), "first": lambda x: x.argmin(-1)}
TYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def numbers(rows: int, length: int, dtype: torch.dtype, device: str, *, sign: int = 1) -> torch.Tensor:
    return sign * torch.randint(3, 100, (rows, length), device=device).to(dtype)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("length", [5, 40, 1000, 4096, 32000])
def test_of_one_sign(each_equals_eager, target, device, length, dtype):
    # IREE's code of Vulkan for many bytes takes more shared memory than there is: they run in torch.
    options = {
        "target": target,
        "placement": "compiled",
        "fallback": "eager" if target == "vulkan" else "error",
    }
    for sign in (1,) if dtype is torch.uint8 else (1, -1):
        x = numbers(3, length, dtype, device, sign=sign)
        each_equals_eager(FUNCTIONS, x, options=options)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.int32], ids=str)
@pytest.mark.parametrize("length", [5, 40, 4096, 32000, 1_000_000])
def test_places(compiled, target, device, length, dtype):
    x = torch.randn(2, length, device=device).mul(1000).to(dtype)
    for function in PLACES.values():
        run = compiled(function, target=target, placement="compiled", dynamic=False)
        for actual, expected in zip(run(x), function(x), strict=True):
            assert torch.equal(actual, expected)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("dtype", [torch.int32, torch.int16, torch.int8], ids=str)
def test_sizes_that_change(compiled, target, device, dtype):
    # Some devices of Vulkan say that a loop is too long for them: it runs in torch.
    options = {
        "target": target,
        "placement": "compiled",
        "fallback": "eager" if target == "vulkan" else "error",
    }
    for function in (FUNCTIONS["largest"], FUNCTIONS["least"]):
        run = compiled(function, dynamic=True, **options)
        for rows, length in ((3, 40), (5, 4096), (2, 32000)):
            for sign in (1, -1):
                x = numbers(rows, length, dtype, device, sign=sign)
                assert torch.equal(run(x), function(x))
