"""ELU and its relatives keep the digits of small numbers."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {"elu": lambda x: F.elu(x, 0.7), "selu": F.selu, "celu": lambda x: F.celu(x, 1.3)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, name):
    function = FUNCTIONS[name]
    x = torch.cat([torch.randn(100) * scale for scale in (1e-8, 1e-3, 1.0, 100.0)])
    torch.testing.assert_close(compiled(function)(x), function(x), rtol=2e-6, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves(compiled, dtype):
    x = torch.linspace(-4, 4, 50).to(dtype)
    torch.testing.assert_close(compiled(F.elu)(x), F.elu(x))
