"""Copies of tensors on a device of its own memory: never an old value, never somebody else's."""

from __future__ import annotations

import dataclasses
import threading

import pytest
import torch
from torch import nn

import myjit
from myjit.runtime import mirrors
from myjit.targets import vulkan

pytestmark = [
    pytest.mark.vulkan,
    pytest.mark.skipif(isinstance(vulkan.own_device(), str), reason=f"vulkan: {vulkan.own_device()}"),
]


@pytest.fixture(params=["unified", "separate"])
def run(request, compiled, monkeypatch):
    """Compile for a device with the host's memory, and for one with its own behind a border."""
    device = dataclasses.replace(vulkan.own_device(), unified=request.param == "unified")
    monkeypatch.setattr(vulkan, "own_device", lambda: device)
    monkeypatch.setattr(mirrors, "SMALL", 0)
    return lambda function, **options: compiled(function, target="vulkan", **options)


def test_weights_written_to_behind_torchs_back(run):
    layer = nn.Linear(8, 4)
    call, x = run(layer), torch.randn(3, 8)
    with torch.no_grad():
        torch.testing.assert_close(call(x), layer(x))
        layer.weight.data.mul_(3)  # neither its address nor its version changes
        torch.testing.assert_close(call(x), layer(x))
        layer.weight.data = torch.randn(4, 8)
        torch.testing.assert_close(call(x), layer(x))


def test_results_are_memory_of_their_own(run):
    call = run(lambda x: x * 2)
    first = call(torch.ones(16))
    second = call(torch.full((16,), 5.0))
    assert (first == 2).all()
    assert (second == 10).all()


def test_sizes_that_grow_and_shrink(run):
    call = run(lambda x, y: (x.exp() + y, x[:, :2] - 1), dynamic=True)
    for rows, columns in ((4, 6), (60, 33), (2, 5), (300, 7)):
        x, y = torch.randn(rows, columns), torch.randn(columns)
        for got, want in zip(call(x, y), (x.exp() + y, x[:, :2] - 1), strict=True):
            torch.testing.assert_close(got, want)


def test_inputs_in_any_layout(run):
    x = torch.randn(12, 10)
    for view in (x, x.T, x[1:, ::2], x[:1].expand(5, 10), x[3:3]):
        torch._dynamo.reset()
        torch.testing.assert_close(run(lambda v: v * 2 + 1)(view), view * 2 + 1)


def test_inference_mode_inside_and_outside(run):
    call, x = run(lambda v: v.cos() + 1), torch.randn(9)
    with torch.inference_mode():
        torch.testing.assert_close(call(x), x.cos() + 1)
    torch.testing.assert_close(call(x), x.cos() + 1)


def test_an_index_out_of_range_is_torchs_own_error(run):
    call = run(lambda t, i: nn.functional.embedding(i, t) * 2)
    table = torch.randn(10, 4)
    for _ in range(2):
        torch.testing.assert_close(call(table, torch.tensor([1, 9])), table[[1, 9]] * 2)
        with pytest.raises(IndexError):
            call(table, torch.tensor([1, 10]))


def test_several_threads(run):
    call = run(lambda x: x.sin() * 2)
    call(torch.randn(64))
    wrong = []

    def work(seed):
        for step in range(10):
            x = torch.full((64,), seed + step / 10)
            if not torch.allclose(call(x), x.sin() * 2, atol=1e-5):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert myjit.stats()["bytes_copied"] > 0
