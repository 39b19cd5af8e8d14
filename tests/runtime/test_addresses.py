"""What is known of memory is shared by kind, and goes with its last user."""

from __future__ import annotations

import gc

import torch

from myjit.runtime import addresses
from myjit.runtime.addresses import Addresses
from myjit.runtime.device import DEVICES


def test_one_kind_is_shared():
    known = Addresses()
    first = known.of(("float32", 2, 3))
    assert first.remember(64, "a") == "a"
    assert known.of(("float32", 2, 3)).get(64) == "a"
    assert known.of(("float32", 3, 2)).get(64) is None


def test_it_goes_with_its_last_user():
    known = Addresses()
    first = known.of(24)
    first.remember(64, "a")
    del first
    gc.collect()
    assert known.of(24).get(64) is None


def test_no_more_than_so_many(monkeypatch):
    monkeypatch.setattr(addresses, "_MOST", 3)
    known = Addresses().of(24)
    for address in range(0, 64 * 20, 64):
        known.remember(address, "a")
    assert len(known) <= 3
    assert known.get(64 * 19) == "a"


def test_programs_know_what_others_wrote(compiled):
    """Of the same place as tensors of other sizes and types, each knows its own."""
    memory = torch.arange(24.0)
    calls = [compiled(lambda x, n=n: x + n, cache=False, dynamic=False) for n in range(2)]
    for _ in range(3):
        for call, n in zip(calls, range(2), strict=True):
            for shape in [(24,), (4, 6), (2, 12)]:
                x = memory.view(shape)
                assert torch.equal(call(x), x + n)
            whole = memory.view(torch.int32)
            assert torch.equal(call(whole), whole + n)
    known = DEVICES.get("local-sync").addresses.of(("float32", 4, 6))
    assert known.get(memory.data_ptr()) is not None
