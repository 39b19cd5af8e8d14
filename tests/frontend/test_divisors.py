"""Dividing whole numbers by zero raises torch's error; nothing ends the process."""

from __future__ import annotations

import pytest
import torch

OPS = {
    "floor": lambda x, y: x // y,
    "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "remainder": lambda x, y: x % y,
    "fmod": torch.fmod,
}


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
@pytest.mark.parametrize("name", OPS)
def test_by_zero(compiled, name, dtype):
    run = compiled(OPS[name])
    x, y = torch.tensor([7, 9], dtype=dtype), torch.tensor([2, 4], dtype=dtype)
    assert torch.equal(run(x, y), OPS[name](x, y))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run(x, torch.zeros_like(y))
    assert torch.equal(run(x, y), OPS[name](x, y))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("name", OPS)
def test_by_the_number_zero(name):
    run = torch.compile(lambda x: OPS[name](x, 0), backend="myjit_mlir")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run(torch.tensor([7, 9]))


@pytest.mark.parametrize("name", OPS)
def test_by_minus_one(compiled, name):
    least = torch.iinfo(torch.int32).min
    x, y = torch.tensor([least, 7], dtype=torch.int32), torch.tensor([-1, -1])
    assert torch.equal(compiled(OPS[name])(x, y), OPS[name](x, y))
    x, y = torch.tensor([least * 2**32, -7]), torch.tensor([-1, -1])
    quotient = "floor" in name or "trunc" in name
    assert compiled(OPS[name])(x, y).tolist() == ([least * 2**32, 7] if quotient else [0, 0])
