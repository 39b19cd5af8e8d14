"""Calls of launches, with the host in place of a device: addresses, strides, scratch, failures, threads."""

from __future__ import annotations

import ctypes
import threading

import pytest
import torch

from myjit.artifact import Artifact, Signature, TensorSpec
from myjit.errors import InvokeError
from myjit.launches import Copy, Fill, Launch, Launches, Place, read
from myjit.runtime.entry import HOST
from myjit.runtime.executable import Executable

#: A result of eight numbers: the input copied to scratch, its second half zeroed, and copied out.
PROGRAM = Launches(
    2,
    (32,),
    (
        Copy(Place(0, 0), Place(2, 0), 32),
        Fill(Place(2, 16), 16, 0, 4),
        Copy(Place(2, 0), Place(1, 0), 32),
    ),
    (),
)


def on_host(launches):
    """Run copies and fills by address."""

    def enqueue(slots):
        for command in launches.commands:
            if isinstance(command, Copy):
                source = slots[command.source.slot] + command.source.offset
                ctypes.memmove(slots[command.target.slot] + command.target.offset, source, command.length)
            else:
                ctypes.memset(slots[command.target.slot] + command.target.offset, 0, command.length)

    return enqueue


def executable(order=(0, 1), enqueuer=on_host, **options):
    spec = TensorSpec("float32", (2, 4), order)
    signature = Signature((spec,), (spec,), bound=(0,))
    artifact = Artifact(PROGRAM.to_bytes(), signature)
    return Executable(artifact, "none", place=HOST, enqueuer=enqueuer, **options)


def test_addresses_reach_the_commands():
    x = torch.randn(2, 4)
    (y,) = executable().call([x])
    torch.testing.assert_close(y, torch.stack([x[0], torch.zeros(4)]))


def test_inputs_that_are_not_in_memory_order_are_copied():
    x = torch.randn(4, 2).t()
    run = executable()
    (y,) = run.call([x])
    torch.testing.assert_close(y[0], x[0])
    assert run.bytes_copied == 32
    assert run.calls == 1


def test_results_have_their_strides():
    x = torch.randn(4, 2).t()
    run = executable(order=(1, 0))
    (y,) = run.call([x])
    assert y.stride() == x.stride()
    torch.testing.assert_close(y[:, :2], x[:, :2])
    assert run.bytes_copied == 0


def test_a_launch_that_fails_is_answered_once_and_for_all():
    calls = []

    def failing(launches):
        def enqueue(slots):
            calls.append(slots)
            raise InvokeError("a launch failed")

        return enqueue

    run = executable(enqueuer=failing, on_failure=lambda args, error: [args[0] + 1])
    x = torch.zeros(2, 4)
    for _ in range(3):
        torch.testing.assert_close(run.call([x])[0], x + 1)
    assert len(calls) == 1


def test_calls_in_threads_have_states_of_their_own():
    made = []
    gate = threading.Barrier(2, timeout=20)

    def waiting(launches):
        made.append(launches)
        run = on_host(launches)

        def enqueue(slots):
            gate.wait()
            run(slots)

        return enqueue

    run = executable(enqueuer=waiting)
    results = {}

    def call(i):
        results[i] = run.call([torch.full((2, 4), float(i))])[0]

    threads = [threading.Thread(target=call, args=(i,)) for i in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2
    assert {i: float(r[0, 0]) for i, r in results.items()} == {1: 1.0, 2: 2.0}


def test_launches_survive_being_written_down():
    program = Launches(1, (), (Launch(0, "k", (1, 2, 3), (Place(0, 4),), (7,)), *PROGRAM.commands), (b"ab",))
    assert read(program.to_bytes()) == program
    with pytest.raises(ValueError, match="no launches"):
        read(program.to_bytes()[:40])
