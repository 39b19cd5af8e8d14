"""Take the processor away from threads that wait by spinning.

IREE has two threads wait for events of a Vulkan device, on several semaphores at once. Mesa's driver for the
processor (lavapipe 22.3) has no such wait and asks each semaphore in turn, holding its lock most of the time:
idle, the two threads fill two cores, and a call that needs a lock can wait for minutes. With less weight they
give way to whoever wakes up (benchmarks/NOTES.md, "Vulkan").

Delete this when lavapipe sleeps in vkWaitSemaphores with VK_SEMAPHORE_WAIT_ANY.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

_TASKS = Path("/proc/self/task")
#: Seconds to watch new threads for, and how much of that an idle one may run.
_WATCH, _IDLE = 0.02, 0.001
#: How much nicer a spinning thread becomes. With 19, calls on busy cores took up to a second.
_NICER = 10


@contextlib.contextmanager
def calmed_threads() -> Iterator[None]:
    """Lower the priority of threads that start meanwhile and run on while nothing is asked of them."""
    before = _busy_times()
    yield
    if not before:
        return
    first = _busy_times()
    time.sleep(_WATCH)
    for thread, seconds in _busy_times().items():
        if thread not in before and seconds - first.get(thread, 0.0) > _IDLE:
            with contextlib.suppress(OSError):  # it has ended, or this process may not
                nicer = os.getpriority(os.PRIO_PROCESS, thread) + _NICER
                os.setpriority(os.PRIO_PROCESS, thread, min(nicer, 19))


def _busy_times() -> dict[int, float]:
    """Return the seconds that each thread of this process has run or waited for a processor; empty where the
    system does not tell.
    """
    times: dict[int, float] = {}
    with contextlib.suppress(OSError):
        for task in _TASKS.iterdir():
            with contextlib.suppress(OSError, ValueError):  # it has just ended
                ran, waited, _ = (task / "schedstat").read_text(encoding="ascii").split()
                times[int(task.name)] = (int(ran) + int(waited)) / 1e9
    return times
