"""The calling thread's scheduling class around a call, and OpenMP's threads beside it."""

from __future__ import annotations

import os

import pytest
import torch

from myjit.runtime import waiting
from myjit.runtime.waiting import alone, patient

pytestmark = pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="only Linux has a batch class")


def scheduling(*_: object) -> int:
    return os.sched_getscheduler(0)


def test_the_caller_is_in_the_batch_class_during_the_call_only():
    assert patient(scheduling)() == os.SCHED_BATCH
    assert scheduling() == os.SCHED_OTHER


def test_a_failed_call_restores_the_class():
    def fail() -> None:
        raise ValueError(scheduling())

    with pytest.raises(ValueError, match=str(os.SCHED_BATCH)):
        patient(fail)()
    assert scheduling() == os.SCHED_OTHER


def test_a_class_of_the_threads_own_is_kept():
    run = patient(scheduling)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        assert run() == os.SCHED_BATCH
        assert scheduling() == os.SCHED_BATCH
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def test_without_the_right_to_change_it_the_call_goes_on(monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert patient(scheduling) is scheduling


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    monkeypatch.setattr(waiting, "_openmp_pause", lambda: found.append)
    return found


def test_only_after_a_long_call_are_openmps_threads_ended(pauses: list[int], monkeypatch):
    times = iter([0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(waiting, "perf_counter", lambda: next(times))
    run = alone(lambda x: x + 1)
    assert [run(i) for i in range(3)] == [1, 2, 3]  # of which the first took a second
    assert pauses == [1]


def test_a_failed_call_is_timed_as_well(pauses: list[int], monkeypatch):
    times = iter([0.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(waiting, "perf_counter", lambda: next(times))
    run = alone(lambda: 1 // 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            run()
    assert pauses == [1]


def test_torch_computes_on_after_its_threads_were_ended():
    pause = waiting._openmp_pause()
    if pause is None:
        pytest.skip("this torch was built without OpenMP, or with one that cannot end its threads")
    x = torch.randn(300, 300)
    expected = x @ x
    for _ in range(3):
        pause(1)
        assert torch.equal(x @ x, expected)


def test_without_openmp_the_call_is_as_it_was(monkeypatch):
    monkeypatch.setattr(waiting, "_openmp_pause", lambda: None)
    assert alone(scheduling) is scheduling
