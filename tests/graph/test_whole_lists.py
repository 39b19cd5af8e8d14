"""A list of one number means that number along each dimension, of sizes that are known or change."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

POOLS = {
    "avg_pool2d": (F.avg_pool2d, (2, 3, 9, 12)),
    "max_pool2d": (F.max_pool2d, (2, 3, 9, 12)),
    "avg_pool3d": (F.avg_pool3d, (1, 2, 6, 7, 8)),
    "max_pool3d": (F.max_pool3d, (1, 2, 6, 7, 8)),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("form", [((2,),), (2, (), (1,)), ((3,), (2,), (1,)), (3, 2, (1,))], ids=str)
@pytest.mark.parametrize("name", POOLS)
def test_pools(compiled, name, form, dynamic):
    pool, shape = POOLS[name]
    x = torch.randn(shape)
    torch.testing.assert_close(compiled(lambda x: pool(x, *form), dynamic=dynamic)(x), pool(x, *form))


def test_dilation_of_one_number(compiled):
    def function(x):
        return F.max_pool2d(x, 2, 2, 0, dilation=(2,))

    x = torch.randn(1, 2, 9, 12)
    torch.testing.assert_close(compiled(function, dynamic=True)(x), function(x))
