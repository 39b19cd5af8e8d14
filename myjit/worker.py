"""The parent's side of one compiler process: start it, ask it, survive its death.

The process is a plain child with pipes rather than a `multiprocessing` one: those import the user's
main script again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from myjit.errors import OptionsError, PassFaultError, WorkerCrashError
from myjit.lower import CompileReply, CompileRequest, lower_and_codegen, lowered, save_crash
from myjit.passes.base import is_foreign
from myjit.passes.pipeline import Pipeline
from myjit.worker_main import LENGTH, write_message

log = logging.getLogger(__name__)


#: Signals that a program brings on itself; any other may have come from outside.
_OWN_FAULT = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
#: What a compiler says, before it ends, that lacked memory, files or room: another time it may not.
_NO_RESOURCES = (
    "bad_alloc",
    "out of memory",
    "Cannot allocate memory",
    "allocation failed",
    "temporary file",
    "No space left",
    "Disk quota exceeded",
    "Too many open files",
    "Permission denied",
    "Read-only file system",
    "Resource temporarily unavailable",
)


#: What LLVM says before it ends the process for a processor's name.
_UNKNOWN_PROCESSOR = "Unknown CPU"
#: Seconds that a process has to say which pass ran past its limit, before it is ended itself.
GRACE = 5.0

_HERE = threading.Lock()


#: What the process runs: it imports what this one would, and not what lies in the working directory.
_PATH = "MYJIT_WORKER_PATH"
_START = f"""\
import os, sys
sys.path[:] = os.environ.pop({_PATH!r}).split(os.pathsep)
from myjit.worker_main import main
main()
"""


def _path() -> list[str]:
    """Return where this process looks for modules, the working directory among them by its name."""
    with contextlib.suppress(FileNotFoundError):  # the working directory was deleted
        return [str(Path(p).absolute()) for p in sys.path]
    return [p for p in sys.path if p]


class _UnknownPassesError(Exception):
    """The worker cannot load the passes of a request."""


class Worker:
    """One compiler process, started on first use and again after it died. Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._log: Any = None
        self._unwanted = False

    def compile(self, request: CompileRequest, timeout: float) -> CompileReply:
        """Compile `request` in the worker, within `timeout` seconds; a second time where it crashed.

        Raises:
            CompileError: what the worker answered.
            OptionsError: the flags name a processor that the compiler does not know.
            WorkerCrashError: the worker died (its last words are in the message) or ran out of time.
            PassFaultError: it did so in a pass that is not myjit's own, nor MLIR's.
        """
        try:
            return self._compile_twice(request, timeout)
        except WorkerCrashError as crash:
            stage, _, name = crash.stage.partition(": ")
            passes = (p for s in request.pipeline.stages for p in s.passes if s.name == stage)
            if not crash.killed and any(p.name == name and is_foreign(p) for p in passes):
                text = f"pass {name!r} of stage {stage!r} failed: {crash.args[0]}"
                raise PassFaultError(text, stage=stage, reproducer=crash.reproducer) from crash
            raise

    def _compile_twice(self, request: CompileRequest, timeout: float) -> CompileReply:
        try:
            return self._compile(request, timeout)
        except WorkerCrashError as crash:
            if not crash.repeats:
                raise
            log.info("compiled once more, in a new process: %s", crash)
        return self._compile(request, timeout)  # IREE crashes on some programs now and then only

    def _compile(self, request: CompileRequest, timeout: float) -> CompileReply:
        request = replace(request.after_torch(), seconds=timeout)
        if any(is_foreign(p) for s in request.pipeline.stages for p in s.passes):
            timeout += GRACE
        try:
            return self._ask(request, timeout)
        except _UnknownPassesError as error:
            log.info("lowering runs in this process, the worker cannot load the passes: %s", error)
        with _HERE:
            rest = lowered(request)
        try:
            return self._ask(rest, timeout)
        except _UnknownPassesError:
            return compile_here(rest)

    def _ask(self, request: CompileRequest, timeout: float) -> CompileReply:
        if not _can_travel(request.pipeline):
            raise _UnknownPassesError("they are defined in the running script, or in a function")
        kind, value = self._exchange((request, request.pipeline.fingerprint()), timeout)
        if kind == "unknown":
            raise _UnknownPassesError(value)
        if kind == "bug" or (kind == "error" and "MemoryError" in str(value)):
            self.close()  # whatever went wrong, such as no memory, may have left it unfit
        if kind == "error":
            raise value
        if kind == "bug":
            log.error("a defect in the compiler process; please report it:\n%s", value)
            raise WorkerCrashError(f"the compiler process failed: {value.strip().splitlines()[-1]}")
        return value

    def _exchange(self, message: tuple[CompileRequest, str], timeout: float) -> tuple[str, Any]:
        """Send a message; return what kind of answer came, and the answer."""
        with self._lock:
            self._unwanted = False
            process = self._running()
            deadline = time.monotonic() + timeout
            step = "start"
            try:
                write_message(process.stdin, message)  # type: ignore[arg-type]
                while True:
                    kind, value = self._read(process, deadline)
                    if kind != "step":
                        return kind, value
                    step = value
            except (TimeoutError, EOFError, BrokenPipeError) as error:
                limit = message[0].seconds
                crash = self._crash(process, step, error, timeout if limit is None else limit)
                if _UNKNOWN_PROCESSOR in crash.args[0]:
                    names = [f.partition("=")[2] for f in message[0].target_flags if "-target-cpu=" in f]
                    raise OptionsError(f"the compiler knows no processor {' '.join(names)!r}") from crash
                if not self._unwanted:  # else the program may be ending, which must not wait for a file
                    crash.reproducer = save_crash(message[0])
                raise crash from error
            except BaseException:
                self._stop(process)  # an interrupted exchange leaves the pipe out of step
                raise

    def close(self) -> None:
        """Stop the process, if one runs, after what is being compiled in it."""
        with self._lock:
            if self._process is not None and self._owner == os.getpid():
                self._stop(self._process)

    def kill(self) -> None:
        """End the process at once, from any thread; a compile in it fails with WorkerCrashError."""
        process = self._process
        if process is not None and self._owner == os.getpid():
            self._unwanted = True
            process.kill()

    @property
    def pid(self) -> int | None:
        """The process's number, while one runs."""
        return self._process.pid if self._process is not None else None

    def _running(self) -> subprocess.Popen[bytes]:
        mine = self._owner == os.getpid()
        if self._process is None or not mine or self._process.poll() is not None:
            self._log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
            environment = {**os.environ, "TMPDIR": tempfile.gettempdir(), _PATH: os.pathsep.join(_path())}
            self._process = subprocess.Popen(
                [sys.executable, *(["-I"] if sys.flags.isolated else []), "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=environment,
                start_new_session=True,  # Ctrl-C goes to the user's process, which stops this one
            )
            self._owner = os.getpid()
        return self._process

    @staticmethod
    def _read(process: subprocess.Popen[bytes], deadline: float) -> tuple[str, Any]:
        size = LENGTH.unpack(_read_exactly(process, LENGTH.size, deadline))[0]
        return pickle.loads(_read_exactly(process, size, deadline))

    def _crash(
        self, process: subprocess.Popen[bytes], step: str, error: BaseException, timeout: float
    ) -> WorkerCrashError:
        said = self._stop(process)
        if isinstance(error, TimeoutError):
            return WorkerCrashError(f"took longer than {timeout:g} s", stage=step)
        code = process.returncode
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        lines = said.decode(errors="replace").strip().splitlines()
        words = next((line for line in lines if not line.startswith(("Please", "Stack"))), "")
        crash = WorkerCrashError(f"the compiler crashed ({how}) {words[:300]}".strip(), stage=step)
        crash.killed = -code in {signal.SIGKILL, signal.SIGTERM}
        crash.repeats = -code in _OWN_FAULT and not any(w in words for w in _NO_RESOURCES)
        return crash

    def _stop(self, process: subprocess.Popen[bytes]) -> bytes:
        """End the process; return what it has written to standard error."""
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        try:
            process.wait(timeout=0.2)  # a dying process writes its core dump or backtrace
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._process = None
        with self._log as file:
            file.seek(0)
            return file.read()


def compile_here(request: CompileRequest) -> CompileReply:
    """Compile in this process, one request at a time: its passes may be anybody's."""
    with _HERE:
        return lower_and_codegen(request.after_torch(), lambda step: None)


def _can_travel(pipeline: Pipeline) -> bool:
    """Tell whether another process could load the pipeline's passes by their modules' names."""
    if any(type(p).__module__ == "__main__" for s in pipeline.stages for p in s.passes):
        return False
    try:
        pickle.dumps(pipeline)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _read_exactly(process: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
    stream = process.stdout
    assert stream is not None
    chunks = bytearray()
    while len(chunks) < size:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([stream], [], [], left)[0]:
            raise TimeoutError
        chunk = os.read(stream.fileno(), min(size - len(chunks), 1 << 20))
        if not chunk:
            raise EOFError
        chunks += chunk
    return bytes(chunks)
