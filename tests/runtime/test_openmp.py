"""OpenMP's threads are ended before long calls, and torch computes on without a fault."""

from __future__ import annotations

import pytest
import torch

from myjit.runtime import openmp
from myjit.runtime.openmp import alone


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    monkeypatch.setattr(openmp, "_openmp_pause", lambda: found.append)
    return found


def test_only_after_a_long_call_are_openmps_threads_ended(pauses: list[int], monkeypatch):
    times = iter([0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(openmp, "perf_counter", lambda: next(times))
    run = alone(lambda x: x + 1)
    assert [run(i) for i in range(3)] == [1, 2, 3]  # of which the first took a second
    assert pauses == [1]


def test_a_failed_call_is_timed_as_well(pauses: list[int], monkeypatch):
    times = iter([0.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(openmp, "perf_counter", lambda: next(times))
    run = alone(lambda: 1 // 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            run()
    assert pauses == [1]


def test_torch_computes_on_after_its_threads_were_ended():
    pause = openmp._openmp_pause()
    if pause is None:
        pytest.skip("this torch was built without OpenMP, or with one that cannot end its threads")
    x = torch.randn(300, 300)
    expected = x @ x
    for _ in range(3):
        pause(1)
        assert torch.equal(x @ x, expected)


def test_without_openmp_the_call_is_as_it_was(monkeypatch):
    monkeypatch.setattr(openmp, "_openmp_pause", lambda: None)
    assert alone(print) is print
