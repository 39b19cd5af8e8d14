"""What is written into a tensor may be computed from other elements of the same tensor."""

from __future__ import annotations

import pytest
import torch

PLACES, SOURCES = torch.arange(1, 60), torch.arange(59)


def shifted(x):
    x = x.exp()
    x[:, 2:11] = x[:, 1:10] + 2
    return x


def twice(x):
    x[:, 20:40] = x[:, 20:40] + 1
    x[:, 2:11] = x[:, 1:10] + 2
    return x


def in_steps(x):
    x = x * 2
    x[:, 1:8:2] = x[:, 0:7:2] + x[:, 2:9:2]
    return x


def by_index(x):
    x = x.flatten() * 2
    x[PLACES] = x[SOURCES] + 1
    return x


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [shifted, twice, in_steps, by_index])
def test_equal_to_eager(compiled, function, dynamic):
    x = torch.randn(2, 64)
    actual, expected = compiled(function, dynamic=dynamic)(x.clone()), function(x.clone())
    torch.testing.assert_close(actual, expected)
