"""Sine, cosine and tangent with every digit: IREE's are off by 1e-8 near zero and by 3e-3 at 1e5.

So `sin(x) / x` came out a thousand times too large for a small `x`, and positions of a long text lost their
phase. Here the multiple of pi/2 next to the number is taken off in three parts (Cody and Waite), and what is
left goes through the polynomials of the Cephes library. Remove when the test passes
without (IREE 3.13).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

#: pi/2 in three parts. The first has eight bits: its product with a whole number below 2^16 is exact.
_HALF_PI = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)


def _in_float32(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Any]:
    """Compute halves and whole numbers in float32; leave float64, whose bits these do not give, as it is."""

    @wraps(function)
    def compute(x: Tensor) -> Any:
        dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
        if dtype is torch.float64 or x.is_complex():
            return NotImplemented
        return function(x.to(torch.float32)).to(dtype)

    return compute


@_in_float32
def sin(x: Tensor) -> Tensor:
    """Return the sine."""
    turns, rest = _reduced(x)
    value = torch.where(_is_odd(turns), _cosine(rest), _sine(rest))
    return torch.where(_is_odd(torch.floor(turns / 2)), -value, value)


@_in_float32
def cos(x: Tensor) -> Tensor:
    """Return the cosine."""
    turns, rest = _reduced(x)
    value = torch.where(_is_odd(turns), _sine(rest), _cosine(rest))
    return torch.where(_is_odd(torch.floor((turns + 1) / 2)), -value, value)


@_in_float32
def tan(x: Tensor) -> Tensor:
    """Return the tangent."""
    turns, rest = _reduced(x)
    sine, cosine = _sine(rest), _cosine(rest)
    odd = _is_odd(turns)
    return torch.where(odd, -cosine, sine) / torch.where(odd, sine, cosine)


def _reduced(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many quarter turns a number is, and what remains, between -pi/4 and pi/4."""
    turns = torch.round(x * 0.63661975)
    rest = x
    for part in _HALF_PI:
        rest = rest - turns * part
    return turns, torch.where(turns == 0, x, rest)  # the sign of zero stays


def _is_odd(whole: Tensor) -> Tensor:
    return whole - 2 * torch.floor(whole / 2) != 0


def _sine(x: Tensor) -> Tensor:
    z = x * x
    return x * (1 + z * (-1.6666654611e-1 + z * (8.3321608736e-3 - z * 1.9515295891e-4)))


def _cosine(x: Tensor) -> Tensor:
    z = x * x
    tail = 4.166664568298827e-2 + z * (-1.388731625493765e-3 + z * 2.443315711809948e-5)
    return 1 - 0.5 * z + z * z * tail


DECOMPOSITIONS = {aten.sin.default: sin, aten.cos.default: cos, aten.tan.default: tan}
