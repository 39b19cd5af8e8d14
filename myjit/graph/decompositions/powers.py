"""Powers: of integers multiplied out, of floating-point numbers in one type, for `exact-powers`.

Numbers that torch-mlir or MLIR would compute the power of in a way of their own become tensors.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch._prims_common import is_integer_dtype

from myjit.graph._numbers import number_tensor
from myjit.graph._types import float_type, wide_type

aten = torch.ops.aten

#: Whole powers up to this are multiplied out: those of integers here, others by the compiler.
_LARGEST_WHOLE = 8


def pow_tensors(x: Tensor, exponent: Tensor) -> Any:
    """Return the power of each element to each exponent."""
    dtype = torch.result_type(x, exponent)
    if not dtype.is_floating_point:
        return NotImplemented
    if x.dtype == exponent.dtype:
        return NotImplemented
    return aten.pow(x.to(dtype), exponent.to(dtype))


def pow_scalar(x: Tensor, exponent: float) -> Any:
    """Return a tensor to the power of a number."""
    dtype = torch.result_type(x, exponent)
    if not isinstance(exponent, (int, float)) or dtype.is_complex or x.dtype == torch.bool:
        return NotImplemented
    if not dtype.is_floating_point:
        return _product(x, exponent) if 0 < exponent <= _LARGEST_WHOLE else NotImplemented
    if x.dtype != dtype:
        return aten.pow(x.to(dtype), exponent)
    if abs(exponent) == 0.5 and dtype not in _HALVES:  # of a half, torch takes no root
        return x.sqrt() if exponent > 0 else x.rsqrt()
    if abs(exponent) <= _LARGEST_WHOLE and exponent == int(exponent):
        return NotImplemented if exponent >= 0 else aten.pow(x, -exponent).reciprocal()
    wide = x.to(wide_type(dtype))
    return aten.pow(wide, number_tensor(exponent, wide.dtype, wide.device)).to(dtype)


def pow_of_scalar(x: float, exponent: Tensor) -> Any:
    """Return a number to the power of a tensor."""
    dtype = torch.result_type(exponent, x)
    if not isinstance(x, (int, float)) or not dtype.is_floating_point:
        return NotImplemented
    if exponent.dtype != dtype or dtype in _HALVES:
        return aten.pow(x, exponent.to(wide_type(dtype))).to(dtype)
    if x == 1:
        return torch.ones_like(exponent)
    return (
        NotImplemented if 0 < x < math.inf else aten.pow(number_tensor(x, dtype, exponent.device), exponent)
    )


def ldexp(x: Tensor, exponent: Tensor) -> Tensor:
    """Return `x` times two to the exponent, in the types of that product and that power.

    Of half types and integers torch has a kernel of its own, which stays in the type.
    """
    product = x * aten.pow(2.0, exponent)
    return product.to(x.dtype) if x.dtype in _HALVES and is_integer_dtype(exponent.dtype) else product


def reciprocal(x: Tensor) -> Any:
    """Divide one by the only element there is.

    torch-mlir asserts within its loops that no element is zero. IREE drops that late: before, it merged such
    loops over one element for ever. Of more elements the assert keeps what channels share, such as a batch
    norm's roots, out of loops over images.
    """
    if x.is_complex() or not all(isinstance(size, int) and size == 1 for size in x.shape):
        return NotImplemented
    return aten.div(torch.ones((), dtype=float_type(x), device=x.device), x)


def _product(x: Tensor, exponent: float) -> Tensor:
    result = x
    for _ in range(int(exponent) - 1):
        result = result * x
    return result


_HALVES = (torch.float16, torch.bfloat16)

DECOMPOSITIONS = {
    aten.reciprocal.default: reciprocal,
    aten.pow.Tensor_Tensor: pow_tensors,
    aten.pow.Tensor_Scalar: pow_scalar,
    aten.pow.Scalar: pow_of_scalar,
    aten.ldexp.Tensor: ldexp,
}
