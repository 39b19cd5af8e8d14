"""Compile in several compiler processes at once, each started when there is work for it."""

from __future__ import annotations

import atexit
import os
import threading
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from myjit.errors import WorkerCrashError
from myjit.lower import CompileReply, CompileRequest
from myjit.worker import Worker, compile_here

T = TypeVar("T")

#: More processes than this compile no faster: each uses several threads.
MOST_WORKERS = 4


class WorkerPool:
    """Workers that wait for the next compile. Safe from several threads; forks start with none."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._round = 0

    def submit(self, request: CompileRequest, timeout: float, workers: int) -> Future[CompileReply]:
        """Begin to compile in one of at most `workers` processes (-1: as many as there are cores).

        `timeout` counts from when a process takes the request. With `workers` 0 the compile runs here,
        now, where only passes that are not myjit's own have a time limit. The future raises what
        `Worker.compile` raises.
        """
        result: Future[CompileReply] = Future()
        if workers == 0:
            try:
                result.set_result(compile_here(replace(request, seconds=timeout)))
            except Exception as error:  # noqa: BLE001 whoever waits for the result raises it
                result.set_exception(error)
            return result
        limit = workers if workers > 0 else min(MOST_WORKERS, len(os.sched_getaffinity(0)))
        serve = threading.Thread(
            target=self._serve,
            args=(result, request, timeout, limit, self._round),
            name="myjit compile",
            daemon=True,  # an endless compile must not keep the program from ending
        )
        try:
            serve.start()
        except RuntimeError as error:  # no thread can be started now
            result.set_exception(WorkerCrashError(f"not compiled: {error}", stage="start"))
        return result

    def wait(self, future: Future[T]) -> T:
        """Return a future's result; Ctrl-C ends every compile."""
        try:
            return future.result()
        except KeyboardInterrupt:
            self.stop()
            raise

    def stop(self) -> None:
        """End every process; compiles that wait or run fail with WorkerCrashError."""
        with self._changed:
            self._round += 1
            for worker in self._busy:
                worker.kill()
            while self._idle:
                self._idle.pop().close()
            self._changed.notify_all()

    def pids(self) -> tuple[int, ...]:
        """Return the numbers of the processes that run."""
        with self._changed:
            found = [worker.pid for worker in (*self._idle, *self._busy)]
        return tuple(pid for pid in found if pid is not None)

    def _serve(
        self, result: Future[CompileReply], request: CompileRequest, timeout: float, limit: int, number: int
    ) -> None:
        worker = self._take(limit, number)
        if worker is None:
            result.set_exception(WorkerCrashError("stopped before its turn came", stage="start"))
            return
        try:
            reply = worker.compile(request, timeout)
        except BaseException as error:  # noqa: BLE001 whoever waits for the result raises it
            self._give_back(worker)
            result.set_exception(error)
        else:
            self._give_back(worker)
            result.set_result(reply)

    def _take(self, limit: int, number: int) -> Worker | None:
        """Wait for a worker; None when everything is stopped before."""
        with self._changed:
            while True:
                if number != self._round:
                    return None
                if len(self._busy) < limit:
                    worker = self._idle.pop() if self._idle else Worker()
                    self._busy.add(worker)
                    return worker
                self._changed.wait()

    def _give_back(self, worker: Worker) -> None:
        with self._changed:
            if worker in self._busy:
                self._busy.remove(worker)
                self._idle.append(worker)
                self._changed.notify()


#: The process-wide pool.
POOL = WorkerPool()
atexit.register(POOL.stop)
os.register_at_fork(after_in_child=POOL.__init__)
