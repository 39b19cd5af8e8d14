"""Caches are updated where they lie, and only where nobody could tell but by the time it takes."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from myjit.runtime import call_state, executable

SHAPE = (2, 3, 40, 32)


@pytest.fixture
def stays(monkeypatch):
    """Return a list to which each result that is written into its input adds whether it lies there."""
    found = []

    def written(state, results, index, given, used):
        result = call_state.written(state, results, index, given, used)
        found.append(state.stays[index])
        return result

    monkeypatch.setattr(executable, "written", written)
    return found


def copied_in(k, v, at):
    k.index_copy_(2, at, v)
    return (k * 2).sum(-1)


def put_in(k, v, at):
    k[:, :, at] = v
    return k.relu()


def slice_put_in(k, v, at):
    k[:, :, 3:5] = v
    return k.relu()


def slice_in_steps_put_in(k, v, at):
    k[:, :, 3:7:2] = v
    return k.relu()


def scattered_in(k, v, at):
    k.scatter_(2, at.view(1, 1, 2, 1).expand_as(v), v)
    return k.relu()


def slice_of_itself(k, v, at):
    k[:, :, 3:5] = k[:, :, 4:6]
    return v + 1


def put_in_a_copy(k, v, at):
    return torch.ops.aten.index_put(k, [None, None, at], v).relu()


def put_in_twice(k, v, at):
    k[:, :, at] = v
    k[:, :, at - 3] = v * 2
    return k.sum(2)


def attended(k, v, at):
    k[:, :, at] = v
    return F.scaled_dot_product_attention(v, k, k)


def of_rows(k, v, at):
    k.view(6, 40, 32)[:, at] = v.view(6, 2, 32)
    return v + 1


def added_in(k, v, at):
    torch.ops.aten.index_put_(k, [None, None, at], v, True)
    return k + 1


def read_before(k, v, at):
    total = k.sum(-1)
    k[:, :, at] = v
    return total


def from_itself(k, v, at):
    k[:, :, at] = k[:, :, at - 1] * 2 + v
    return k * 3


def copied_out(k, v, at):
    k[:, :, at] = v
    return k.clone()


def part_copied_out(k, v, at):
    k[:, :, at] = v
    return k.clone()[0, 1:], k.flatten()


def returned(k, v, at):
    k[:, :, at] = v
    return k, k[0]


IN_PLACE = (copied_in, put_in, put_in_twice, attended, slice_put_in, scattered_in)
ELSEWHERE = (
    slice_in_steps_put_in,
    slice_of_itself,
    of_rows,
    added_in,
    read_before,
    from_itself,
    copied_out,
    part_copied_out,
    returned,
)


def inputs(dtype=torch.float32):
    torch.manual_seed(2)
    return torch.randn(SHAPE).to(dtype), torch.randn(2, 3, 2, 32).to(dtype), torch.tensor([4, 9])


def called_alike(run, function, k, v, at):
    """Call both with a cache of their own, at places that move on; compare all that can be seen."""
    mine, torchs = k, k.clone()
    address = mine.data_ptr()
    for step in range(3):
        found, expected = run(mine, v + step, at + step), function(torchs, v + step, at + step)
        torch.testing.assert_close(found, expected)
        torch.testing.assert_close(mine, torchs)
        assert mine.data_ptr() == address
    return found


@pytest.mark.parametrize("function", IN_PLACE)
@torch.no_grad()
def test_caches_are_written_into(compiled, stays, function):
    called_alike(compiled(function), function, *inputs())
    assert stays
    assert all(stays)


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8], ids=str
)
@torch.no_grad()
def test_caches_of_other_types(compiled, stays, dtype):
    called_alike(compiled(put_in), put_in, *inputs(dtype))
    assert stays
    assert all(stays)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [*IN_PLACE, *ELSEWHERE])
@torch.no_grad()
def test_equal_to_eager(compiled, function, dynamic):
    called_alike(compiled(function, dynamic=dynamic), function, *inputs())


@torch.no_grad()
def test_slices_that_move_on(compiled, stays):
    def function(k, v, first):
        k[:, :, first : first + 2] = v
        return (k * 2).sum(2)

    k, v, _ = inputs()
    mine, torchs, run = k.clone(), k.clone(), compiled(function)
    for first in (3, 5, 6, 37):
        torch.testing.assert_close(run(mine, v, first), function(torchs, v, first))
        assert torch.equal(mine, torchs)
    assert stays
    assert all(stays)


@pytest.mark.parametrize("function", [copied_out, part_copied_out])
@torch.no_grad()
def test_results_do_not_share_the_cache(compiled, function):
    k, v, at = inputs()
    found = compiled(function)(k, v, at)
    before = k.clone()
    for each in found if isinstance(found, tuple) else (found,):
        if each.untyped_storage().data_ptr() != k.untyped_storage().data_ptr():
            each.zero_()
    assert torch.equal(k, before)
    k[:] = 1
    first = found[0] if isinstance(found, tuple) else found
    assert not first.eq(1).any()


@pytest.mark.parametrize(
    "view",
    [
        lambda k: torch.empty(k.numel() + 1)[1:].view(SHAPE).copy_(k),
        lambda k: k.repeat_interleave(2, 3)[..., ::2],
        lambda k: k.to(memory_format=torch.channels_last),
    ],
    ids=["unaligned", "in steps", "channels last"],
)
@torch.no_grad()
def test_caches_that_lie_otherwise(compiled, view):
    k, v, at = inputs()
    run = compiled(put_in)
    run(k.clone(), v, at)
    torch.testing.assert_close(run(view(k), v, at), put_in(k.clone(), v, at))
    called_alike(run, put_in, view(k), v, at)


@torch.no_grad()
def test_an_index_out_of_range_is_torchs_own_error(compiled):
    k, v, at = inputs()
    run = compiled(put_in)
    run(k, v, at)
    with pytest.raises(IndexError):
        run(k, v, at + 35)


@torch.no_grad()
def test_the_cache_on_disk_tells_them_apart(compiled, tmp_path):
    k, v, at = inputs()
    for function in (put_in, put_in_a_copy):
        run = compiled(function, cache=True, cache_dir=str(tmp_path))
        mine, torchs = k.clone(), k.clone()
        torch.testing.assert_close(run(mine, v, at), function(torchs, v, at))
        assert torch.equal(mine, torchs)


@pytest.mark.parametrize("last", [False, True])
@torch.no_grad()
def test_frozen_weights_before_and_behind_the_cache(compiled, stays, last):
    weight, bias = torch.nn.Parameter(torch.randn(32, 32)), torch.nn.Parameter(torch.randn(32))

    def function(k, v, at):
        projected = F.linear(v, weight, bias)
        k[:, :, at] = projected
        return k.relu() if last else (k @ weight).sum(2)

    called_alike(compiled(function, freeze=True), function, *inputs())
    assert stays
    assert all(stays)
