"""Counters count on, whatever becomes of what they count."""

from __future__ import annotations

import gc

import torch

import myjit


def test_calls_of_programs_that_are_gone_still_count(compiled):
    x = torch.ones(64)
    first, second = compiled(lambda x: x * 2 + 1), compiled(lambda x: x * 3 - 1)
    for _ in range(5):
        first(x)
    second(x)
    assert myjit.stats()["calls"] == 6
    del first
    torch._dynamo.reset()
    gc.collect()
    assert myjit.stats()["calls"] == 6
    myjit.reset()
    assert myjit.stats()["calls"] == 0
