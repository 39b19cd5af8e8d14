"""Wait for IREE's workers without taking a core from them.

A worker that signals the end of a call wakes the caller, then marks the signal as done; the caller spins
until that mark is there (IREE 3.13, `iree_async_semaphore_multi_wait`). Woken on the worker's own core, the
caller preempts the worker and spins for as long as its time slice lasts: three to five milliseconds, in a
quarter of the calls on two cores. A thread of Linux's batch class never preempts another by waking up, so
the caller belongs to that class for the time of the call.

Delete this when IREE's wait does not spin (benchmarks/NOTES.md, "Two cores").
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


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
