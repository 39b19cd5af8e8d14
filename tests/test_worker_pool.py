"""Compiler processes: several at once, cut at the limit, ended by Ctrl-C, replaced when they die."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch

import myjit
from myjit.errors import FallbackWarning, OptionsError, PassFaultError, WorkerCrashError
from myjit.lower import CompileRequest
from myjit.passes.pipeline import Pipeline
from myjit.worker_pool import POOL, WorkerPool

#: Passes as users write them, in a module of their own. `meet` waits until two processes run it at once.
PASSES = """
import os, time
from dataclasses import dataclass
from pathlib import Path
from myjit import Pass

@dataclass(frozen=True)
class Act(Pass):
    what: str = ""
    folder: str = ""

    def run(self, module):
        getattr(self, self.what)()

    def sleep(self):
        (Path(self.folder) / "began").touch()
        time.sleep(1000)

    def spin(self):
        while True:
            pass

    def abort(self):
        os.abort()

    def abort_once(self):
        try:
            (Path(self.folder) / "aborted").touch(exist_ok=False)
        except FileExistsError:
            return
        os.abort()

    def lack_room(self):
        os.write(2, b"failed to generate temporary file: No such file or directory\\n")
        os.abort()

    def exit(self):
        os._exit(3)

    def segfault(self):
        import ctypes
        ctypes.string_at(0)

    def exhaust(self):
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        keep = []
        while True:
            keep.append(bytearray(1 << 26))

    def meet(self):
        (Path(self.folder) / str(os.getpid())).touch()
        deadline = time.monotonic() + 60
        while len(list(Path(self.folder).iterdir())) < 2:
            assert time.monotonic() < deadline, "nobody else came"
            time.sleep(0.02)
"""


@pytest.fixture
def acting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a pipeline whose pass acts in the compiler process."""
    name = f"acting_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(PASSES)
    monkeypatch.syspath_prepend(str(tmp_path))
    POOL.stop()  # processes that run already have another path
    module = importlib.import_module(name)

    def pipeline(what: str, folder: Path | str = "") -> Pipeline:
        return myjit.pipelines.get("cpu").after("torch-to-linalg", module.Act(what, str(folder)))

    yield pipeline
    POOL.stop()


def test_two_parts_compile_at_the_same_time(acting, tmp_path: Path, compiled):
    """Each part's pass waits for the other's."""
    folder = tmp_path / "meeting"
    folder.mkdir()
    x = torch.randn(4)
    run = compiled(
        lambda x: x.sin().tanh() * 3,
        pipeline=acting("meet", folder),
        torch_executed_ops=["aten.tanh"],
        workers=2,
    )
    torch.testing.assert_close(run(x), x.sin().tanh() * 3)
    assert len(POOL.pids()) == 2


@pytest.mark.parametrize("what", ["spin", pytest.param("sleep", marks=pytest.mark.slow)])
def test_an_endless_pass_is_cut_at_the_limit(acting, what: str, tmp_path: Path):
    x = torch.randn(4)
    options = {"pipeline": acting(what, tmp_path), "compile_timeout": 4.0}
    with pytest.warns(FallbackWarning, match=r"(longer than|within) 4 s"):
        torch.testing.assert_close(
            torch.compile(torch.sin, backend="myjit_mlir", options=options)(x), x.sin()
        )


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("abort", r"crashed \(SIGABRT\)"),
        ("segfault", r"crashed \(SIGSEGV\)"),
        ("exit", r"crashed \(exit code 3\)"),
        ("exhaust", "MemoryError"),
    ],
)
def test_a_crash_costs_its_part(acting, what: str, said: str, compiled):
    x = torch.randn(4)
    options = {"pipeline": acting(what)}
    with pytest.warns(FallbackWarning, match=said):
        torch.testing.assert_close(
            torch.compile(torch.sin, backend="myjit_mlir", options=options)(x), x.sin()
        )
    torch.testing.assert_close(compiled(torch.cos)(x), x.cos())


def test_a_crash_comes_with_its_input_and_a_command(acting, tmp_path: Path):
    request = CompileRequest(_bytecode(), acting("abort"), ())
    with pytest.raises(PassFaultError, match="pass 'act' of stage 'act' failed") as caught:
        POOL.submit(request, 60.0, 1).result()
    saved = Path(caught.value.reproducer)
    first, rest = saved.read_text().split("\n", maxsplit=1)
    assert first.startswith(f"// myjit build {saved} --pipeline cpu")
    assert "func.func @main" in rest
    assert isinstance(caught.value.__cause__, WorkerCrashError)
    assert caught.value.__cause__.repeats


def test_a_lack_of_room_is_not_the_programs_fault(acting):
    request = CompileRequest(_bytecode(), acting("lack_room"), ())
    with pytest.raises(PassFaultError, match="temporary file") as caught:
        POOL.submit(request, 60.0, 1).result()
    assert isinstance(caught.value.__cause__, WorkerCrashError)
    assert not caught.value.__cause__.repeats


def test_a_folder_for_temporary_files_that_is_gone(tmp_path: Path):
    program = """
    import shutil, os, torch, myjit
    shutil.rmtree(os.environ["TMPDIR"])
    run = torch.compile(torch.sin, backend="myjit_mlir", options={"fallback": "error", "cache": False})
    assert torch.equal(run(torch.zeros(3)), torch.zeros(3))
    """
    environment = {**os.environ, "TMPDIR": str(tmp_path / "gone")}
    (tmp_path / "gone").mkdir()
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, check=True, timeout=300)


def test_files_of_the_working_directory_are_not_the_compilers(tmp_path: Path):
    (tmp_path / "random.py").write_text("raise SystemExit('imported')")
    program = """
    import sys
    sys.path[:] = [p for p in sys.path if p]  # as for a script that lies elsewhere
    import torch
    run = torch.compile(torch.sin, backend="myjit_mlir", options={"fallback": "error", "cache": False})
    assert torch.equal(run(torch.zeros(3)), torch.zeros(3))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)


def test_a_thread_that_cannot_be_started_costs_the_part_and_blocks_nobody(monkeypatch: pytest.MonkeyPatch):
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    x = torch.randn(4)
    run = torch.compile(lambda x: x.sin() * 7, backend="myjit_mlir")
    with monkeypatch.context() as patch, pytest.warns(FallbackWarning, match="can't start new thread"):
        patch.setattr(threading.Thread, "start", start)
        torch.testing.assert_close(run(x), x.sin() * 7)
    torch._dynamo.reset()
    myjit.reset()
    torch.testing.assert_close(run(x), x.sin() * 7)
    assert myjit.stats()["ops_compiled"] == 2


def test_an_interrupted_compile_blocks_no_other_of_the_same(monkeypatch: pytest.MonkeyPatch):
    def submit(*_: Any) -> Any:
        raise KeyboardInterrupt

    x = torch.randn(4)
    run = torch.compile(lambda x: x.sin() * 9, backend="myjit_mlir", options={"fallback": "error"})
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(POOL, "submit", submit)
        run(x)
    torch._dynamo.reset()
    torch.testing.assert_close(run(x), x.sin() * 9)


def test_an_unknown_processor_is_the_users_mistake():
    flags = [f for f in _flags() if "target-cpu" not in f]
    request = CompileRequest(
        _bytecode(), myjit.pipelines.get("cpu"), (*flags, "--iree-llvmcpu-target-cpu=nope")
    )
    with pytest.raises(OptionsError, match="no processor 'nope'"):
        POOL.submit(request, 60.0, 1).result()


def test_a_program_that_crashed_once_is_compiled_again(acting, tmp_path: Path):
    request = CompileRequest(
        _bytecode(), acting("abort_once", tmp_path), ("--iree-hal-target-backends=llvm-cpu",)
    )
    assert POOL.submit(request, 60.0, 1).result().vmfb
    assert (tmp_path / "aborted").exists()


def test_a_process_killed_from_outside_is_not_the_programs_fault(acting, tmp_path: Path):
    request = CompileRequest(_bytecode(), acting("sleep", tmp_path), ())
    going = POOL.submit(request, 60.0, 1)
    _wait_for(tmp_path / "began")
    for pid in POOL.pids():
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerCrashError, match="SIGKILL") as caught:
        going.result()
    assert not caught.value.repeats


def test_no_more_processes_than_wanted():
    pool = WorkerPool()
    request = CompileRequest(_bytecode(), myjit.pipelines.get("cpu"), _flags())
    try:
        replies = [pool.submit(request, 120.0, 1) for _ in range(3)]
        assert len({reply.result().vmfb for reply in replies}) == 1
        assert len(pool.pids()) == 1
    finally:
        pool.stop()


def test_stopping_ends_what_runs_and_what_waits(acting, tmp_path: Path):
    request = CompileRequest(_bytecode(), acting("sleep", tmp_path), ())
    going = [POOL.submit(request, 600.0, 1) for _ in range(2)]
    _wait_for(tmp_path / "began")
    POOL.stop()
    for future in going:
        with pytest.raises(WorkerCrashError) as caught:
            future.result(timeout=30)
        assert not caught.value.reproducer  # nothing is wrong with it


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # the shell's background jobs ignore it
sys.path.insert(0, {folder!r})
import torch, myjit, acting
pipeline = myjit.pipelines.get("cpu").after("torch-to-linalg", acting.Act("sleep", {folder!r}))
torch.compile(torch.sin, backend="myjit_mlir", options={{"pipeline": pipeline}})(torch.ones(3))
"""


def started(tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a program whose compile does not end; return it and its compiler processes."""
    (tmp_path / "acting.py").write_text(PASSES)
    script = textwrap.dedent(SCRIPT.format(folder=str(tmp_path)))
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    _wait_for(tmp_path / "began")
    children = _children(process.pid)
    assert children
    return process, children


@pytest.mark.slow
def test_no_process_outlives_a_program_that_is_killed(tmp_path: Path):
    process, children = started(tmp_path)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 30
    while any(map(_runs, children)):
        assert time.monotonic() < deadline, "a compiler process runs on"
        time.sleep(0.1)


def test_ctrl_c_stops_at_once(tmp_path: Path):
    process, children = started(tmp_path)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]  # its compile would take ten minutes
    assert "KeyboardInterrupt" in said
    assert not [pid for pid in children if _runs(pid)]


def test_calls_from_threads_share_the_pool(compiled):
    results: dict[int, torch.Tensor] = {}

    def work(number: int) -> None:
        results[number] = compiled(lambda x: x * number + 1, dynamic=False)(torch.ones(number + 2))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(3):
        torch.testing.assert_close(results[number], torch.full((number + 2,), number + 1.0))


def _bytecode() -> bytes:
    from myjit.mlir.context import new_context, parse, to_bytecode

    text = """
    func.func @main(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
      %0 = torch.aten.sin %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
      return %0 : !torch.vtensor<[2],f32>
    }"""
    return to_bytecode(parse(text, new_context()))


def _flags() -> tuple[str, ...]:
    from myjit.targets.cpu import TARGET

    return TARGET.flags()


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} never came"
        time.sleep(0.05)


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")  # each thread has its own
    return [int(child) for task in tasks for child in task.read_text().split()]


def _runs(pid: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
