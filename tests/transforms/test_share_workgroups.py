"""Workgroups that torch's threads share give what one thread gives, to the bit."""

from __future__ import annotations

import ctypes
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import myjit
from myjit.mlir.parameters import TABLE
from myjit.passes.pipeline import PIPELINES
from myjit.runtime import process

pytestmark = pytest.mark.skipif("openmp" not in process.libraries(), reason="no OpenMP can be called here")

ALONE = PIPELINES.get("cpu").without("threads")
EVERYTHING = PIPELINES.get("cpu").with_option("share-workgroups.bytes", 0)
#: Also products that panels would multiply go to the library.
LIBRARY = PIPELINES.get("cpu").with_option("blas-products.always", True)
PARALLEL, NUMBER = TABLE.index("parallel"), TABLE.index("number")
FORMS = {
    "pointwise": (lambda a: (a * 2).sigmoid() + a, (300, 1000)),
    "rows": (lambda a: a.softmax(-1), (591, 197)),
    "columns": (lambda a: a.sum(0), (700, 300)),
    "everything": (lambda a: a.sum(), (300, 1000)),
    "three axes of workgroups": (lambda a: a.transpose(1, 3).contiguous() + 1, (7, 33, 65, 40)),
    "batches of products": (lambda a: a @ a.transpose(1, 2), (5, 70, 64)),
    "one product": (lambda a: a @ a.t(), (300, 200)),
    "several dispatches": (lambda a: ((a @ a.t()).softmax(-1) @ a).cumsum(0), (200, 200)),
    "one element": (lambda a: a + 1, ()),
}


class Team(list[int]):
    """The sizes of teams that were asked for, and whether denormal numbers were zero where they began.

    `numbers` are the threads that come, one after the other.
    """

    flushes = False
    numbers = (2, 1, 0)


@pytest.fixture
def team():
    """Replace OpenMP by a team that runs one after the other."""
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    asked, running = Team(), [0]
    tiny = torch.tensor(1e-40)

    def parallel(function, work, size, _):
        asked.append(size)
        asked.flushes |= (tiny * 1).item() == 0
        for running[0] in asked.numbers:
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function)(work)

    replacement, number = kind(parallel), ctypes.CFUNCTYPE(ctypes.c_int)(lambda: running[0])
    table, threads = process.table(), torch.get_num_threads()
    before = list(table)
    table[PARALLEL] = ctypes.cast(replacement, ctypes.c_void_p).value
    table[NUMBER] = ctypes.cast(number, ctypes.c_void_p).value
    torch.set_num_threads(2)
    yield asked
    table[:] = before
    torch.set_num_threads(threads)


@pytest.mark.parametrize(
    ("form", "dynamic"),
    [*((form, False) for form in FORMS), ("rows", True), ("three axes of workgroups", True)],
)
def test_shared_equals_alone(form, dynamic, compiled, team):
    function, shape = FORMS[form]
    x = torch.randn(shape)
    expected = compiled(function, pipeline=ALONE, dynamic=dynamic)(x)
    assert not team
    torch._dynamo.reset()
    run = compiled(function, pipeline=EVERYTHING, dynamic=dynamic)
    assert torch.equal(run(x), expected)
    assert set(team) <= {2}
    assert not team.flushes  # threads that begin in a dispatch keep its mode for torch's own work
    assert team or form in {"one product", "one element", "everything"}


def test_openmp_itself(compiled):
    function, shape = FORMS["several dispatches"]
    x = torch.randn(shape)
    expected = compiled(function, pipeline=ALONE)(x)
    torch._dynamo.reset()
    run = compiled(function, pipeline=EVERYTHING)
    for _ in range(50):
        assert torch.equal(run(x), expected)


@pytest.mark.parametrize("numbers", [(0,), (1,), (0, 1), (7, 1)])
def test_whoever_of_a_team_comes_leaves_nothing(numbers, compiled, team):
    team.numbers = numbers
    x = torch.randn(1023, 1000)
    assert torch.equal(compiled(lambda x: x + 1)(x), x + 1)
    assert team == [2]


def test_small_dispatches_stay_on_the_calling_thread(compiled, team):
    run = compiled(lambda x: (x * 2).sigmoid(), dynamic=False)
    run(torch.randn(50, 100))
    assert not team
    run(torch.randn(1000, 1000))
    assert team


@pytest.mark.parametrize("device", ["sync", "task"])
def test_who_chooses_a_driver_has_no_team(device, compiled, team):
    x = torch.randn(1000, 1000)
    torch.testing.assert_close(compiled(torch.sigmoid, device=device)(x), x.sigmoid())
    assert not team


def test_without_the_stage_irees_workers_share_the_work(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    x = torch.randn(1000, 1000)
    drivers = []
    for pipeline in ("cpu", ALONE):
        torch._dynamo.reset()
        report = myjit.explain(lambda x: x.sigmoid() * 2, x, options={"pipeline": pipeline}, show=False)
        drivers.append(report.graphs[0].parts[0].driver)
    assert drivers == ["local-sync", "local-task"]


def test_the_number_of_threads_is_that_of_the_call(compiled, team):
    x = torch.randn(1000, 1000)
    run = compiled(lambda x: x.sigmoid() * 2)
    for threads in (1, 2):
        torch.set_num_threads(threads)
        run(x)
    assert team[0] == 1
    assert team[-1] == 2


def test_batches_fewer_than_threads_are_left_to_the_librarys_own(compiled, team):
    few, many = torch.randn(2, 256, 256), torch.randn(4, 256, 256)
    run = compiled(torch.bmm, dynamic=False, pipeline=LIBRARY)
    torch.set_num_threads(3)
    torch.testing.assert_close(run(few, few), torch.bmm(few, few), atol=1e-4, rtol=1e-4)
    assert "blas" not in process.libraries() or not team
    torch.testing.assert_close(run(many, many), torch.bmm(many, many), atol=1e-4, rtol=1e-4)
    assert team


def test_several_callers_at_once(compiled):
    run = compiled(lambda x: (x * 2).sigmoid().sum(0), dynamic=False)
    x = torch.randn(1000, 1000)
    expected = run(x)
    with ThreadPoolExecutor(4) as pool:
        assert all(torch.equal(result, expected) for result in pool.map(lambda _: run(x), range(40)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_computes_alone(compiled):
    run = compiled(lambda x: (x * 2).sigmoid(), dynamic=False)
    x = torch.randn(1000, 1000)
    expected = run(x)
    child = os.fork()
    if not child:
        os._exit(0 if run(x).numpy().tobytes() == expected.numpy().tobytes() else 1)
    for _ in range(600):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        pytest.fail("the child did not come to an end")
    assert status == 0


def test_code_that_nobody_joined_runs_alone(compiled, team, monkeypatch):
    monkeypatch.setattr(process, "joined", lambda vmfb: vmfb)
    x = torch.randn(1000, 1000)
    torch.testing.assert_close(compiled(torch.sigmoid)(x), x.sigmoid())
    assert not team
