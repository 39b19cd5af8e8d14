"""What IREE is lent stays until no thread can let go of it any more, and holds nothing."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch

import myjit
from myjit.runtime.device import _borrowed
from myjit.runtime.standalone import load


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
