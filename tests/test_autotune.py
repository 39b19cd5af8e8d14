"""The faster of two ways is taken, and nothing is run twice that may run only once."""

from __future__ import annotations

import time

import pytest
import torch

import myjit
from myjit.autotune import fastest


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
