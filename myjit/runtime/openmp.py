"""End OpenMP's threads before a long call of IREE's workers.

These threads, which torch computes with, spin for about six milliseconds after their last work, on cores
that the workers need: the backward of a small GPT-2 took 21 ms after one parallel copy, and 15 without.
torch starts new ones when it needs them (benchmarks/NOTES.md, "Two cores").
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from time import perf_counter
from typing import Any

#: Seconds from which on a call counts as long. Ending OpenMP's threads and starting them anew takes 0.1 ms.
LONG = 1e-3

_SOFT_PAUSE = 1  # omp_pause_soft


def alone(invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Return `invoke` without OpenMP's threads beside it, where its last call took long."""
    pause = _openmp_pause()
    if pause is None:
        return invoke
    long = False

    def run(*args: Any) -> Any:
        nonlocal long
        if long:
            pause(_SOFT_PAUSE)
        start = perf_counter()
        try:
            return invoke(*args)
        finally:
            long = perf_counter() - start > LONG

    return run


def _openmp_pause() -> Callable[[int], int] | None:
    """Return the function of the OpenMP library in this process that ends the calling thread's helpers."""
    try:
        return ctypes.CDLL(None).omp_pause_resource_all
    except (AttributeError, OSError, TypeError):  # no OpenMP, an older one, or no such lookup on this system
        return None
