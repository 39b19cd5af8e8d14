"""The faster of two ways is taken, and nothing is run twice that may run only once."""

from __future__ import annotations

import dataclasses
import time

import pytest
import torch

import myjit
from myjit import backend, compile, part_tuning
from myjit.autotune import fastest
from myjit.targets.cpu import TARGET, CpuTarget
from myjit.targets.cuda import TARGET as CUDA


def test_the_faster_way_is_taken_and_kept():
    ran: list[str] = []

    def slow(x: int) -> int:
        ran.append("slow")
        time.sleep(0.02)
        return x + 1

    def quick(x: int) -> int:
        ran.append("quick")
        return x + 1

    run = fastest({"slow": slow, "quick": quick})
    assert run(1) == 2
    ran.clear()
    assert [run(i) for i in range(3)] == [1, 2, 3]
    assert ran == ["quick"] * 3
    assert myjit.stats()["autotune_choices"] == {"quick": 1}


def test_a_first_call_of_a_second_leaves_time_for_rounds():
    slept = iter([1.5, 0.05])

    def late(x: int) -> int:
        time.sleep(next(slept, 0.0))
        return x

    def slow(x: int) -> int:
        time.sleep(0.01)
        return x

    assert fastest({"slow": slow, "late": late})(1) == 1
    assert myjit.stats()["autotune_choices"] == {"late": 1}


def test_the_usual_way_stays_where_another_is_hardly_faster():
    def takes(seconds: float):
        def way(x: int) -> int:
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                pass
            return x

        return way

    fastest({"usual": takes(0.02), "other": takes(0.0197)})(1)
    assert myjit.stats()["autotune_choices"] == {"usual": 1}


def tuned(function):
    return torch.compile(function, backend="myjit_mlir", mode="max-autotune")


def test_inference_is_tuned_and_right():
    model, x = torch.nn.Linear(8, 4), torch.randn(3, 8)
    with torch.no_grad():
        run = tuned(model)
        for _ in range(3):
            torch.testing.assert_close(run(x), model(x))
    assert sum(myjit.stats()["autotune_choices"].values()) == 1


def test_random_numbers_are_drawn_once():
    run = tuned(lambda x: x + torch.rand_like(x))
    torch.manual_seed(1)
    first = run(torch.zeros(4))
    torch.manual_seed(1)
    torch.testing.assert_close(first, torch.rand(4))
    assert myjit.stats()["autotune_choices"] == {}


def test_writes_happen_once():
    x = torch.ones(4)
    result = tuned(lambda x: x.add_(1) * 2)(x)
    assert x.tolist() == [2.0] * 4
    assert result.tolist() == [4.0] * 4


@pytest.mark.parametrize("requires_grad", [True, False])
def test_training_is_not_tuned(requires_grad: bool):
    x = torch.ones(4, requires_grad=requires_grad)
    result = tuned(lambda x: x.sin().sum())(x)
    if requires_grad:
        result.backward()
        torch.testing.assert_close(x.grad, x.detach().cos())
    assert sum(myjit.stats()["autotune_choices"].values()) == int(not requires_grad)


def test_parts_are_timed_once_and_remembered():
    def program(a, b):
        return torch.relu(a @ b) + 1

    a, b = torch.randn(128, 64), torch.randn(64, 128)
    for known in (False, True):
        torch._dynamo.reset()
        myjit.reset()
        run = tuned(program)
        for _ in range(2):
            torch.testing.assert_close(run(a, b), program(a, b))
        chosen = myjit.stats()["autotune_parts"]
        assert sum(chosen.values()) == int(not known)
        without = ["", *(f" without {stage}" for stage in TARGET.optional_stages)]
        assert chosen.keys() <= {"torch", *(driver + w for driver in TARGET.drivers for w in without)}


@pytest.mark.parametrize(
    "way", ["torch", "local-sync", "local-task without tiles", "local-sync without packing"]
)
def test_a_known_way_is_taken_again(way: str, monkeypatch: pytest.MonkeyPatch):
    def program(a, b):
        return torch.tanh(a @ b)

    def choose(ways, *, trial, chose):
        chose(way)
        return ways.get(way, ways["local-sync"])

    a, b = torch.randn(64, 64), torch.randn(64, 64)
    with monkeypatch.context() as patch:
        patch.setattr(part_tuning, "fastest", choose)
        tuned(program)(a, b)
    torch._dynamo.reset()
    myjit.reset()
    plans = []
    monkeypatch.setattr(compile, "plan_listeners", [plans.append])
    torch.testing.assert_close(tuned(program)(a, b), program(a, b))
    (part,) = plans[0].parts
    assert part.driver == ("" if way == "torch" else way.split(maxsplit=1)[0])
    assert myjit.stats()["autotune_parts"] == {}


def test_gradients_are_tuned_part_by_part():
    x = torch.randn(64, 64, requires_grad=True)
    run = tuned(lambda x: (x @ x).tanh().sum())
    run(x).backward()
    expected = torch.autograd.grad((x @ x).tanh().sum(), x)[0]
    torch.testing.assert_close(x.grad, expected)
    assert sum(myjit.stats()["autotune_parts"].values()) >= 2


def test_what_costs_leave_to_torch_is_tried_compiled(monkeypatch: pytest.MonkeyPatch):
    tried: list[str] = []

    def choose(ways):
        tried.extend(ways)
        return ways["myjit, all compiled"]

    dear = dataclasses.replace(CUDA.costs, call=1e6)
    monkeypatch.setattr(CpuTarget, "costs", dear)
    monkeypatch.setattr(backend, "fastest", choose)
    x = torch.randn(8, 8)
    options = {"autotune": True, "placement": "auto"}
    run = torch.compile(lambda x: x.sin() * 2, backend="myjit_mlir", options=options)
    torch.testing.assert_close(run(x), x.sin() * 2)
    assert tried == ["myjit, all compiled", "eager"]
    assert myjit.stats()["ops_compiled"] > 0
