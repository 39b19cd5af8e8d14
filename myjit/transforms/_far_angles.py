"""Quarters of the circle in large numbers, every digit kept (Payne and Hanek's way, in integers).

A float is a whole number m times 2^e. Of m * 2^e / (2 pi) only what is left of whole circles counts: of the
bits of 1 / (2 pi) only two words from the e-th on. m times them, whole words dropped, is the part of the
circle. In float32 (float64) the rest is right to 2^-38 (2^-73) of a quarter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from myjit.transforms._scalars import Integers, Scalars

#: 1 / (2 pi), the bits behind the point.
_PER_CIRCLE = (
    "28be60db9391054a7f09d5f47d4d377036d8a5664f10e4107f9458eaf7aef1586dc91b8e909374b801924bba82746487"
    "3f877ac72c4a69cfba208d7d4baed1213a671c09ad17df904e64758e60d4ce7d272117e2ef7e4a0ec7fe25fff7816603"
    "fbcbc462d6829b47db4d9fb3c9f2c26dd3d18fd9a797fa8b5d49eeb1faf97c5ecf41ce7de294a4ba9afed7ec47e35742"
)


@dataclass(frozen=True)
class _Format:
    """How a float stands in its bits."""

    width: int
    fraction: int

    @property
    def greatest_exponent(self) -> int:
        return 2 ** (self.width - 1 - self.fraction) - 2

    @property
    def first_bit(self) -> int:
        """What is taken off the exponent for the window's first bit, counted from one word of zeros."""
        return self.greatest_exponent // 2 + self.fraction - self.width

    def words(self) -> list[int]:
        """Return as many words of 1 / (2 pi) as windows reach, behind the one of zeros."""
        last = (self.greatest_exponent - self.first_bit) // self.width + 2
        bits = int(_PER_CIRCLE, 16) >> (4 * len(_PER_CIRCLE) - last * self.width)
        return [bits >> self.width * (last - n) & (2**self.width - 1) for n in range(last + 1)]


_FORMATS = {"f32": _Format(32, 23), "f64": _Format(64, 52)}


def far_angle(f: Scalars, x: Any) -> tuple[Any, Any]:
    """Build the quarter of the circle, in an integer's two lowest bits, and the rest from -pi/4 to pi/4.

    For numbers from 2^10 on, of either sign; others give anything.
    """
    bits, form = f.bits, _FORMATS[str(f.kind)]
    pattern = bits.cast("arith.bitcast", x)
    exponent = bits.both(bits.shifted_down(pattern, form.fraction), form.greatest_exponent + 1)
    start = bits.sub(exponent, form.first_bit)
    mantissa = bits.either(bits.both(pattern, 2**form.fraction - 1), 2**form.fraction)
    high, low = _window(bits, form.words(), start)
    lower, carry = bits.product(mantissa, low)
    upper = bits.add(bits.mul(mantissa, high), carry)
    quarter = bits.shifted_down(bits.add(upper, 2 ** (form.width - 3)), form.width - 2)
    rest = _in_radians(f, bits.sub(upper, bits.shifted(quarter, form.width - 2)), lower)
    is_less = f.compare(x, "<", 0.0)
    return bits.select(is_less, bits.sub(0, quarter), quarter), f.select(is_less, f.negative(rest), rest)


def _window(bits: Integers, words: list[int], start: Any) -> tuple[Any, Any]:
    """Build the two words that begin at a bit."""
    word = bits.shifted_down(start, bits.width.bit_length() - 1)
    first, second, third = words[:3]
    for n, ahead in enumerate(zip(words[1:], words[2:], words[3:], strict=False), start=1):
        is_further = bits.compare(word, "unsigned >=", n)
        first, second, third = (
            bits.select(is_further, a, b) for a, b in zip(ahead, (first, second, third), strict=True)
        )
    places = bits.both(start, bits.width - 1)
    return _joined(bits, first, second, places), _joined(bits, second, third, places)


def _joined(bits: Integers, front: Any, back: Any, places: Any) -> Any:
    complement = bits.flipped(places, bits.width - 1)
    rest = bits.shifted_down(bits.shifted_down(back, 1), complement)  # a whole word takes two steps
    return bits.either(bits.shifted(front, places), rest)


def _in_radians(f: Scalars, upper: Any, lower: Any) -> Any:
    """Build the angle of signed units of the circle's 2^-width, and of smaller ones by as much."""
    unit = 2 * math.pi / 2**f.bits.width
    positive = f.cast("arith.sitofp", f.bits.shifted_down(lower, 1))
    return f.fma(f.cast("arith.sitofp", upper), unit, f.mul(positive, 2 * unit / 2**f.bits.width))
