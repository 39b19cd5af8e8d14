"""Integers and truth values become bfloat16, rounded as torch rounds them, on processors of all kinds."""

from __future__ import annotations

import pytest
import torch

#: A processor that has no instruction for it, whatever this machine has.
AVX2 = ("--iree-llvmcpu-target-cpu=haswell",)

FUNCTIONS = {
    "alone": lambda x: x.bfloat16(),
    "and back": lambda x: x.bfloat16().float(),
    "a mask": lambda x: (1 - (x > 0).bfloat16()) * torch.finfo(torch.bfloat16).min,
    "a count": lambda x: (x > 0).sum(-1).bfloat16(),
    "a product": lambda x: (x.bfloat16() @ x.bfloat16().mT).sign(),
}


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64], ids=str
)
def test_rounded_as_by_torch(each_equals_eager, dtype):
    scale = torch.iinfo(dtype).max // 100 if dtype != torch.bool else 1
    x = torch.tensor([n * scale for n in range(-100, 100)]).to(dtype).view(20, 10)
    each_equals_eager(FUNCTIONS, x, options={"iree_flags": AVX2}, rtol=0, atol=0)
