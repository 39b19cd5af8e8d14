"""Stop Python code that does not end: a pass may loop, and the program that compiles must go on.

Works from any thread, on code that runs Python; a loop inside of MLIR is ended with its process, by the
worker's parent.
"""

from __future__ import annotations

import ctypes
import threading
from types import TracebackType


class TimeIsUpError(BaseException):
    """Raised inside of the code whose time is up; no Exception, so that `except Exception` lets it pass."""


class Deadline:
    """A context whose body is stopped by a TimeIsUpError after some seconds."""

    #: Seconds until a body that has swallowed the error gets another.
    AGAIN = 0.5

    def __init__(self, seconds: float) -> None:
        self._seconds = max(seconds, 0.0)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = 0

    def __enter__(self) -> None:
        self._thread = threading.get_ident()
        threading.Thread(target=self._watch, name="myjit deadline", daemon=True).start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while not self._over.is_set():
            try:
                with self._lock:
                    self._over.set()
            except TimeIsUpError:  # it came while the body ended
                continue
        self._raise_in_thread(None)  # what was sent and has not arrived is taken back

    def _watch(self) -> None:
        wait = self._seconds
        while not self._over.wait(wait):
            with self._lock:
                if not self._over.is_set():
                    self._raise_in_thread(TimeIsUpError)
            wait = self.AGAIN

    def _raise_in_thread(self, error: type[BaseException] | None) -> None:
        given = ctypes.py_object(error) if error is not None else None
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), given)
