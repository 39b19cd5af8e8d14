"""Threads that spin give way; threads that sleep keep their priority."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from myjit.runtime import calming


@pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(), reason="this system does not tell how long threads run"
)
def test_only_what_spins_is_calmed(monkeypatch):
    # Long enough that the spinning thread gets its turn on a busy machine, too.
    monkeypatch.setattr(calming, "_WATCH", 0.5)
    end = threading.Event()

    def spin():
        while not end.is_set():
            pass

    with calming.calmed_threads():
        spinner, sleeper = threading.Thread(target=spin), threading.Thread(target=end.wait)
        spinner.start()
        sleeper.start()
        time.sleep(0.01)
    try:
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, spinner.native_id) == min(own + 10, 19)
        assert os.getpriority(os.PRIO_PROCESS, sleeper.native_id) == own
    finally:
        end.set()
        spinner.join()
        sleeper.join()
