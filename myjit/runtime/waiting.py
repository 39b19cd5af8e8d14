"""Call IREE's workers, and wait for them, without taking a core from them.

OpenMP's threads, which torch computes with, spin for about six milliseconds after their last work, on cores
that IREE's workers need: the backward of a small GPT-2 took 21 ms after one parallel copy, and 15 without.
So a call that takes long ends them before it begins; torch starts new ones when it needs them.

A worker that signals the end of a call wakes the caller, then marks the signal as done; the caller spins
until that mark is there (IREE 3.13, `iree_async_semaphore_multi_wait`). Woken on the worker's own core, the
caller preempts the worker and spins for as long as its time slice lasts: three to five milliseconds, in a
quarter of the calls on two cores. A thread of Linux's batch class never preempts another by waking up, so
the caller belongs to that class for the time of the call.

Delete this when IREE's wait does not spin (benchmarks/NOTES.md, "Two cores").
"""

from __future__ import annotations

import ctypes
import os
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


def patient(invoke: Callable[..., Any]) -> Callable[..., Any]:
    """Return `invoke` with the calling thread in the batch class while it runs.

    A thread with a scheduling class of its own keeps it, and so does every thread where the class cannot
    be changed.
    """
    if not _can_change():
        return invoke
    batch, other, parameter = os.SCHED_BATCH, os.SCHED_OTHER, os.sched_param(0)
    get, change = os.sched_getscheduler, os.sched_setscheduler

    def run(*args: Any) -> Any:
        if get(0) != other:
            return invoke(*args)
        change(0, batch, parameter)
        try:
            return invoke(*args)
        finally:
            change(0, other, parameter)

    return run


def _can_change() -> bool:
    if not hasattr(os, "SCHED_BATCH"):
        return False
    try:
        if os.sched_getscheduler(0) == os.SCHED_OTHER:
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except OSError:
        return False
    return True
