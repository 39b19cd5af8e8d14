"""Lists of numbers, one for each dimension, as ops take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def whole_list(values: Sequence[Any], dims: int) -> list[Any]:
    """Return a number for each dimension: a single one stands for all of them."""
    return list(values) * dims if len(values) == 1 else list(values)
