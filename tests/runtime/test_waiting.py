"""The calling thread's scheduling class around a call."""

from __future__ import annotations

import os

import pytest

from myjit.runtime.waiting import patient

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
