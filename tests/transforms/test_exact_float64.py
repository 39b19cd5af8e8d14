"""Every digit of log(1 + x) and exp(x) - 1 in float64, and of what is made of them."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FUNCTIONS = {
    "log1p": torch.log1p,
    "expm1": torch.expm1,
    "asinh": torch.asinh,
    "sinh": torch.sinh,
    "atanh": torch.atanh,
    "elu": F.elu,
    "softplus": F.softplus,
    "logsigmoid": F.logsigmoid,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, name):
    sizes = torch.logspace(-300, 2.8, 2000, dtype=torch.float64)
    x = torch.cat([sizes, -sizes, torch.linspace(-1.5, 1.5, 4000, dtype=torch.float64)])
    actual, expected = compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x)
    torch.testing.assert_close(actual, expected, rtol=1e-14, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_where_there_is_no_number(compiled, name):
    x = torch.tensor(
        [0.0, -0.0, -1.0, 5e-324, -5e-324, torch.inf, -torch.inf, torch.nan], dtype=torch.float64
    )
    actual, expected = compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x)
    torch.testing.assert_close(actual, expected, rtol=1e-14, atol=5e-324, equal_nan=True)
    assert torch.equal(actual[:2].signbit(), expected[:2].signbit())
