"""The complement of the error function, which has no lowering, and its kin: every digit of small results."""

from __future__ import annotations

from functools import reduce
from typing import Any

import torch
from torch import Tensor

from myjit.graph._types import float_type

aten = torch.ops.aten

#: (1 + 2 x) exp(x^2) erfc(x) - 1 for x from 0 on, in t = (x - 4) / (x + 4) from -1 to 1: a polynomial, the
#: highest power first, by Chebyshev's points (6e-8 off at most).
_SCALED = (
    *(-0.000246280404, -0.000365908313, 0.00507629079, -0.0166173463, 0.037146499, -0.0661178638),
    *(0.0937375279, -0.101088255, 0.0680966615, 0.0153838429, -0.139621111, 0.23299506),
)
#: The upper half of a float32's fraction: its square is exact.
_UPPER_BITS = -(1 << 12)


def erfc(x: Tensor) -> Any:
    """Return one less the error function."""
    if not _fits_float32(x):
        return NotImplemented
    wide = x.to(torch.float32)
    size = _scaled(wide.abs()) * _bell(wide)
    return torch.where(wide < 0, 2 - size, size).to(float_type(x))


def erfcx(x: Tensor) -> Any:
    """Return exp(x^2) erfc(x)."""
    if not _fits_float32(x):
        return NotImplemented
    wide = x.to(torch.float32)
    size = _scaled(wide.abs())
    return torch.where(wide < 0, 2 / _bell(wide) - size, size).to(float_type(x))


def _scaled(x: Tensor) -> Tensor:
    t = 1 - 8 / (x + 4)
    return (1 + reduce(lambda value, c: value * t + c, _SCALED[1:], torch.full_like(t, _SCALED[0]))) / (
        1 + 2 * x
    )


def _bell(x: Tensor) -> Tensor:
    """Return exp(-x^2): what squaring would round off goes into a factor of its own."""
    upper = (x.view(torch.int32) & _UPPER_BITS).view(torch.float32)
    rest = torch.where(x.abs() < torch.inf, (x - upper) * (x + upper), 0)
    return torch.exp(-upper * upper) * torch.exp(-rest)


def _fits_float32(x: Tensor) -> bool:
    return x.dtype != torch.float64 and not x.is_complex()


DECOMPOSITIONS = {aten.erfc.default: erfc, aten.special_erfcx.default: erfcx}
