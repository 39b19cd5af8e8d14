"""What is widened and then read in parts: kernels of GPUs get it from memory."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F


def _windows(x):
    windows = x.long().unfold(0, 2, 3)
    return windows.transpose(1, 2).flatten(), windows


FUNCTIONS = {
    "two slices, each with each": lambda x: torch.outer(
        *((x.int() // 3).long().flatten()[:n] for n in (9, 5))
    ),
    "windows": _windows,
    "halves": lambda x: (
        (x.half().float() + 1).chunk(2, 1)[0] * (x.half().float() + 1).chunk(2, 1)[1].sigmoid()
    ),
    "columns": lambda x: (x > 0).int()[:, 3] + (x > 0).int()[:, 7:9].T,
    "a slice of a slice": lambda x: x.half().float()[2:9, 1:].T[3:, ::2],
    "elements picked": lambda x: x.half().float()[(x[:, 0] > 0).long(), (x[:, 1] > 0).long() + 2],
    "averages": lambda x: F.avg_pool2d((x > 0).float()[None, None], 3, 2),
    "largest": lambda x: F.max_pool1d(x.half().float(), 3, 2),
}

ACROSS = {
    "as it is": lambda x: ((x * 3 + 1).half().float(), (x * 3 + 1).half().float().T.tril().T),
    "twice as much": lambda x: ((x + 1).half().float(), ((x + 1).half().float() * 2).T.triu().T),
    "whole numbers": lambda x: ((x.int() * 3).long(), (x.int() * 3).long().T.tril().T),
}


@pytest.mark.parametrize("shape", [(8, 6), (33, 70)], ids=str)
def test_widened_tensors_across(each_equals_eager, target, device, shape):
    x = torch.randint(-9, 9, shape, device=device).float()
    each_equals_eager(ACROSS, x, options={"target": target})


@pytest.mark.parametrize("shape", [(20, 100), (33, 70)], ids=str)
def test_parts_of_widened_tensors(each_equals_eager, target, device, shape):
    x = torch.randint(-30, 30, shape, device=device).float()
    each_equals_eager(FUNCTIONS, x, options={"target": target})


@pytest.mark.parametrize("name", ["two slices, each with each", "halves", "columns"])
def test_sizes_that_change(compiled, target, device, name):
    run = compiled(FUNCTIONS[name], target=target, dynamic=True)
    for shape in ((20, 100), (33, 70)):
        x = torch.randint(-30, 30, shape, device=device).float()
        torch.testing.assert_close(run(x), FUNCTIONS[name](x))


def _elements_in_place(x):
    found = x.sum(0).long() << 1
    found[0] *= 2
    found[1] += found[0]
    return found


def _a_slice_and_all(x):
    found = x.amax(0).int() ^ 1
    return found.where(found > 3, found[1:2]), found[1:].flip(0)


def _one_element_of_a_view(x):
    return x.long().flatten()[3] * torch.arange(5, device=x.device)


def _one_element_of_the_last(x):
    return x.half().float().view(-1)[-1:] + torch.ones(3, 4, device=x.device)


@pytest.mark.parametrize(
    "function", [_elements_in_place, _a_slice_and_all, _one_element_of_a_view, _one_element_of_the_last]
)
@pytest.mark.parametrize("count", [3, 64])
def test_parts_of_what_is_widened_are_compiled_in_seconds(compiled, target, device, function, count):
    x = torch.randint(-4, 5, (2, count), device=device).float()
    run = compiled(function, target=target, compile_timeout=60.0)
    torch.testing.assert_close(run(x), function(x))


def test_what_is_written_at_places_on_a_cpu(compiled):
    def written(x):
        return F.fold(F.unfold(x, 2), (20, 100), 2)

    x = torch.randint(-4, 5, (20, 20, 100)).half()
    torch.testing.assert_close(compiled(written)(x), written(x))
