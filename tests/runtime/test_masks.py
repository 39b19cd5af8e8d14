"""Masks drawn by the kernel are those that torch draws, and leave torch's generator where torch leaves it."""

from __future__ import annotations

import threading

import pytest
import torch
from torch.nn import functional as F

from myjit.errors import InvokeError
from myjit.runtime import masks

aten = torch.ops.aten


@pytest.fixture(autouse=True)
def installed(compiled):
    """Have the kernel in the process, as the first program that draws a mask leaves it."""
    compiled(lambda x: F.dropout(x, 0.5))(torch.ones(2, masks.SMALLEST))
    assert masks.is_installed()


def drawn(op, count, p, before=0):
    """Return a mask and the state after it, of a generator that has drawn `before` numbers."""
    torch.manual_seed(11)
    torch.randint(9, (before,))
    mask = op(torch.empty(count, dtype=torch.bool), p)
    return mask, torch.get_rng_state()


@pytest.mark.parametrize("before", [0, 1, 622, 623, 624, 625])
@pytest.mark.parametrize("count", [4096, 4101, 4992, 5003, 100_001])
def test_masks_and_states_are_torchs(count, before):
    for p in (0.0, 1e-9, 0.1, 0.5, 0.9, 1.0):
        found, expected = (drawn(op, count, p, before) for op in (masks.BERNOULLI, aten.bernoulli.p))
        assert torch.equal(found[0], expected[0])
        assert torch.equal(found[1], expected[1])


def test_the_kernel_draws(monkeypatch):
    kernel = masks._installed[0]
    assert kernel.serves()
    counts = []
    draw = kernel.draw
    monkeypatch.setattr(kernel, "draw", lambda state, count, p: counts.append(count) or draw(state, count, p))
    drawn(masks.BERNOULLI, 5000, 0.5)
    assert counts == [5000]


@pytest.mark.parametrize(
    "like",
    [
        torch.empty(100, dtype=torch.bool),
        torch.empty(80, 80, dtype=torch.bool).T[:, :70],
        torch.empty(5000),
        torch.empty(0, dtype=torch.bool),
    ],
    ids=["few", "with gaps", "numbers", "none"],
)
def test_torch_draws_what_the_kernel_does_not(monkeypatch, like):
    monkeypatch.setattr(masks._Kernel, "draw", None)
    torch.manual_seed(3)
    found = masks.BERNOULLI(like, 0.5)
    torch.manual_seed(3)
    torch.testing.assert_close(found, aten.bernoulli.p(like, 0.5))


@pytest.mark.parametrize("p", [-0.5, 1.5])
def test_no_probability_is_torchs_own_error(p):
    with pytest.raises(RuntimeError, match="in \\[0, 1\\]"):
        masks.BERNOULLI(torch.empty(5000, dtype=torch.bool), p)


def test_numbers_that_another_thread_takes_meanwhile_are_not_drawn_twice(monkeypatch):
    kernel = masks._installed[0]
    draw = kernel.draw

    def slowly(state, count, p):
        other = threading.Thread(target=torch.rand, args=(10,))
        other.start()
        other.join()
        return draw(state, count, p)

    monkeypatch.setattr(kernel, "draw", slowly)
    found, _ = drawn(masks.BERNOULLI, 5000, 0.5)
    torch.manual_seed(11)
    torch.rand(10)
    assert torch.equal(found, aten.bernoulli.p(torch.empty(5000, dtype=torch.bool), 0.5))


@pytest.mark.parametrize("agrees", [None, True], ids=["at the first call", "later"])
def test_torch_draws_where_the_kernel_fails(monkeypatch, agrees):
    calls = []

    def draw(self, state, count, p):
        calls.append(count)
        raise InvokeError("no")

    monkeypatch.setattr(masks._Kernel, "draw", draw)
    monkeypatch.setattr(masks._installed[0], "_agrees", agrees)
    for _ in range(2):
        found, expected = (drawn(op, 5000, 0.5) for op in (masks.BERNOULLI, aten.bernoulli.p))
        assert torch.equal(found[0], expected[0])
        assert torch.equal(found[1], expected[1])
    assert len(calls) == 1


@pytest.mark.parametrize("fault", ["wrong values", "an error"])
def test_a_kernel_that_draws_otherwise_is_not_used(monkeypatch, fault):
    def draw(self, state, count, p):
        if fault == "an error":
            raise InvokeError("no")
        return state, torch.ones(count, dtype=torch.bool)

    monkeypatch.setattr(masks._Kernel, "draw", draw)
    monkeypatch.setattr(masks._installed[0], "_agrees", None)
    found, expected = (drawn(op, 5000, 0.5) for op in (masks.BERNOULLI, aten.bernoulli.p))
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])
