"""Powers: of integers multiplied out, of floating-point numbers as C defines them.

torch-mlir and IREE compute exp(y log x) and no more: NaN for 0 to the 0 and for any number below 0, -inf
for 0 to a whole number below 0 (MLIR's expansion of powf), and nothing at all for a constant base below 0.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import float_type, wide_type

aten = torch.ops.aten

#: Powers of integers up to this are multiplied out here.
_LARGEST_OF_INTEGERS = 8
#: Whole powers up to this are left to the compiler, which multiplies.
_LARGEST_WHOLE = 32


def pow_tensors(x: Tensor, exponent: Tensor) -> Any:
    """Return the power of each element to each exponent."""
    dtype = torch.result_type(x, exponent)
    if not dtype.is_floating_point:
        return NotImplemented
    x, y = x.to(wide_type(dtype)), exponent.to(wide_type(dtype))
    size = torch.exp(y * torch.log(x.abs()))
    size = torch.where(_is_odd(y) & torch.signbit(x), -size, size)
    size = torch.where((x < 0) & (x > -math.inf) & (y != y.trunc()), math.nan, size)
    one = (y == 0) | (x == 1) | ((x == -1) & (y.abs() == math.inf))
    return torch.where(one, 1.0, size).to(dtype)


def pow_scalar(x: Tensor, exponent: float) -> Any:
    """Return a tensor to the power of a number."""
    dtype = torch.result_type(x, exponent)
    if not isinstance(exponent, (int, float)) or dtype.is_complex or x.dtype == torch.bool:
        return NotImplemented
    if not dtype.is_floating_point:
        return _product(x, exponent) if 0 < exponent <= _LARGEST_OF_INTEGERS else NotImplemented
    if x.dtype != dtype:
        return aten.pow(x.to(dtype), exponent)
    root = abs(exponent) == 0.5 and dtype not in _HALVES  # of a half, torch takes no root
    if root or (abs(exponent) <= _LARGEST_WHOLE and exponent == int(exponent)):
        return NotImplemented if root or exponent >= 0 else aten.pow(x, -exponent).reciprocal()
    return _to_number(x.to(wide_type(dtype)), float(exponent)).to(dtype)


def pow_of_scalar(x: float, exponent: Tensor) -> Any:
    """Return a number to the power of a tensor."""
    dtype = torch.result_type(exponent, x)
    if not isinstance(x, (int, float)) or not dtype.is_floating_point:
        return NotImplemented
    if exponent.dtype != dtype or dtype in _HALVES:
        return aten.pow(x, exponent.to(wide_type(dtype))).to(dtype)
    if x == 1:
        return torch.ones_like(exponent)
    return NotImplemented if 0 < x < math.inf else _of_number(float(x), exponent)


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


def _to_number(x: Tensor, exponent: float) -> Tensor:
    """Return `x` to a number. In tensors of one constant torch-mlir would fold comparisons wrongly."""
    if math.isnan(exponent):
        return torch.where(x == 1, 1.0, math.nan)
    size = torch.exp(torch.log(x.abs()) * exponent)
    if math.isinf(exponent):
        return torch.where(x.abs() == 1, 1.0, size)
    if exponent != int(exponent):
        return torch.where((x < 0) & (x > -math.inf), math.nan, size)
    return torch.where(torch.signbit(x), -size, size) if exponent % 2 else size


def _of_number(x: float, y: Tensor) -> Tensor:
    """Return a number, 0 or below or not finite, to the `y`."""
    if math.isnan(x):
        return torch.where(y == 0, 1.0, torch.full_like(y, math.nan))
    size = torch.exp(y * (math.log(abs(x)) if x else -math.inf))
    if math.copysign(1, x) < 0:
        size = torch.where(_is_odd(y), -size, size)
    if -math.inf < x < 0:
        size = torch.where(y != y.trunc(), math.nan, size)
    one = (y == 0) | (y.abs() == math.inf) if x == -1 else y == 0
    return torch.where(one, 1.0, size)


def _is_odd(y: Tensor) -> Tensor:
    half = y / 2
    return (half - half.trunc()).abs() == 0.5


_HALVES = (torch.float16, torch.bfloat16)

DECOMPOSITIONS = {
    aten.reciprocal.default: reciprocal,
    aten.pow.Tensor_Tensor: pow_tensors,
    aten.pow.Tensor_Scalar: pow_scalar,
    aten.pow.Scalar: pow_of_scalar,
}
