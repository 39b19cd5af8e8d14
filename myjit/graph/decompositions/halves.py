"""Functions of half types computed in float32, as torch does.

In the type itself the exponential in sigmoid overflows in float16 where the result does not, 2^x, written
exp(x log(2)), is off by a third in bfloat16 since its argument is rounded, and numbers beside tensors are
rounded before they are multiplied by.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

#: How many bits the fractions of half types have, with the first, which is not written.
_BITS = {torch.float16: 11, torch.bfloat16: 8}


def _wide(function: Callable[..., Tensor]) -> Callable[..., Any]:
    @wraps(function)
    def compute(*args: Any) -> Any:
        dtype = args[0].dtype
        return function(*map(_float, args)).to(dtype) if dtype in _BITS else NotImplemented

    return compute


def _wide_beside_numbers(function: Callable[[Any, Any], Tensor]) -> Callable[..., Any]:
    @wraps(function)
    def compute(a: Any, b: Any) -> Any:
        dtype = torch.result_type(a, b)
        if dtype not in _BITS or not (_is_rounded(a, dtype) or _is_rounded(b, dtype)):
            return NotImplemented
        return function(_float(a), _float(b)).to(dtype)

    return compute


def _is_rounded(operand: Any, dtype: torch.dtype) -> bool:
    """Tell whether an operand would lose digits in a half type: a number, or a tensor of no dimensions."""
    if isinstance(operand, Tensor):
        return operand.dtype != dtype and operand.is_floating_point()
    if not isinstance(operand, (int, float)) or operand == 0 or not math.isfinite(operand):
        return False
    fraction = math.frexp(operand)[0] * 2 ** _BITS[dtype]
    in_range = torch.finfo(dtype).tiny <= abs(operand) <= torch.finfo(dtype).max
    return not in_range or fraction != int(fraction)


def _float(operand: Any) -> Any:
    return operand.float() if isinstance(operand, Tensor) else operand


DECOMPOSITIONS = {
    aten.sigmoid.default: _wide(torch.sigmoid),
    aten.exp2.default: _wide(torch.exp2),
    aten.leaky_relu.default: _wide(torch.nn.functional.leaky_relu),
    aten.mul.Tensor: _wide_beside_numbers(torch.mul),
    aten.div.Tensor: _wide_beside_numbers(torch.div),
}
