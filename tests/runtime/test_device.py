"""What IREE is lent stays until no thread lets go of it, and holds nothing; it keeps what it allocates."""

from __future__ import annotations

import gc
import weakref

import iree.runtime as rt
import numpy as np
import pytest
import torch

import myjit
from myjit.runtime.device import _KEPT, DEVICES, WITH_THREADS, WITHOUT_THREADS, _borrowed
from myjit.runtime.standalone import load
from tests.runtime.memory import resident


class _Weights(bytearray):
    """A buffer that can be watched."""


@pytest.mark.parametrize("data", [b"", b"abc"])
def test_a_borrowed_buffer_is_never_freed_but_its_owner_is(data):
    weights = _Weights(data)
    view, owner = _borrowed(weights), weakref.ref(weights)
    assert bytes(view) == data
    lent = weakref.ref(view)
    del view, weights
    gc.collect()
    assert lent() is not None
    assert owner() is None


def test_a_program_that_goes_takes_its_weights_along(tmp_path):
    model, x = torch.nn.Linear(8, 8).requires_grad_(False), torch.randn(4, 8)
    path = tmp_path / "model.myjit"
    myjit.export(model, (x,), path=path)
    for driver in ("local-sync", "local-task"):
        program = load(path, driver=driver)
        torch.testing.assert_close(torch.from_numpy(program(x.numpy())), model(x))
        saved = weakref.ref(program._saved)
        del program
        gc.collect()
        assert saved() is None


@pytest.fixture(params=[WITHOUT_THREADS, WITH_THREADS])
def allocate(request):
    """Take memory of a device, as programs do between kernels; return its address and bytes."""
    handle = DEVICES.get(request.param).handle

    def allocate(size):
        kind = int(rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE)
        usage = int(rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING)
        buffer = handle.allocator.allocate_buffer(kind, usage, size)
        memory = buffer.map().asarray([size], np.dtype(np.uint8))
        return memory.ctypes.data, memory

    handle.allocator.trim()
    yield allocate
    handle.allocator.trim()


def test_memory_is_kept_as_it_was_left(allocate):
    size = 1 << 20
    first, memory = allocate(size)
    memory[:] = 7
    del memory
    again, memory = allocate(size)
    assert again == first
    assert (memory == 7).all()


def test_no_more_is_kept_than_so_much_and_a_piece(allocate):
    sizes = [_KEPT // 4 + 64 * i for i in range(12)]
    before = resident()
    for size in sizes:
        _, memory = allocate(size)
        memory[:] = 7
        del memory
    assert resident() - before <= _KEPT + 2 * max(sizes)
