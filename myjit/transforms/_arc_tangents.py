"""The arc tangent of any number, by that of numbers below a limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from myjit.transforms._scalars import Scalars

_FAR = math.tan(3 * math.pi / 8)


def arc_tangent(f: Scalars, x: Any, middle: float, more: float, ratio: Callable[[Any], Any]) -> Any:
    """Build atan(x): from tan(3 pi / 8) on pi / 2 - atan(1 / x), from `middle` on pi / 4 and a smaller one's.

    The smaller one is (x - 1) / (x + 1). `ratio` builds (atan(x) / x - 1) / x^2, given x^2; `more` is what
    pi / 2 is more than a number of the kind.
    """
    size = f.size(x)
    is_far, is_middle = f.compare(size, ">", _FAR), f.compare(size, ">", middle)
    over = f.select(is_far, -1.0, f.select(is_middle, f.sub(size, 1.0), size))
    under = f.select(is_far, size, f.select(is_middle, f.add(size, 1.0), 1.0))
    near = f.div(over, under)
    start = f.select(is_far, math.pi / 2, f.select(is_middle, math.pi / 4, 0.0))
    left_out = f.select(is_far, more, f.select(is_middle, more / 2, 0.0))
    square = f.mul(near, near)
    angle = f.fma(f.mul(near, square), ratio(square), near)
    return f.signed(f.add(start, f.add(angle, left_out)), x)
