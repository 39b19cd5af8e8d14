"""Functions of half types computed in float32, as torch does.

In the type itself the exponential in sigmoid overflows in float16 where the result does not, and 2^x, written
exp(x log(2)), is off by a third in bfloat16 since its argument is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def _wide(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Any]:
    @wraps(function)
    def compute(x: Tensor) -> Any:
        half = x.dtype in (torch.float16, torch.bfloat16)
        return function(x.float()).to(x.dtype) if half else NotImplemented

    return compute


DECOMPOSITIONS = {
    aten.sigmoid.default: _wide(torch.sigmoid),
    aten.exp2.default: _wide(torch.exp2),
}
