"""What is known when the program is compiled, read as it was beside what it became."""

from __future__ import annotations

import pytest
import torch


def scattered(x):
    places = x[:1].argmin(0, keepdim=True)
    return places, places.scatter(0, places.remainder(1), 3)


def compared(x):
    total = x.sum(0, keepdim=True)
    places = total.argmin(0, keepdim=True)
    scattered = places.scatter(0, places.remainder(places.shape[0]), 3)
    return places, scattered >= total, torch.arange(1, device=x.device) + places


def zeros(x):
    v = torch.zeros(8, device=x.device)
    return (
        v,
        v.index_put((torch.tensor([1], device=x.device),), x[:1]),
        v.index_fill(0, torch.tensor(2, device=x.device), 1.0),
    )


def known_in_steps(x):
    numbers = torch.full((7, 7), 9, dtype=torch.int32, device=x.device).clamp(-3, 5)
    turned = numbers.mT
    repeated = turned.flatten()[:5].expand(4, 5)
    written = repeated.clone()
    written.diagonal().fill_(1)
    return repeated, turned, written


def bounds_that_leave_one_number(x):
    numbers = x.to(torch.uint8).view(3, 4).clamp(-3, 100).clamp(-20, 30)
    turned = numbers.mT
    repeated = turned.flatten()[:5].expand(4, 5)
    written = repeated.clone()
    written.diagonal().fill_(1)
    return repeated, turned, written


KNOWN = [scattered, compared, zeros, known_in_steps, bounds_that_leave_one_number]


@pytest.mark.parametrize("function", KNOWN, ids=lambda f: f.__name__)
def test_equal_to_eager(compiled, target, device, function):
    x = torch.randint(-9, 9, (12,), device=device).float()
    for found, expected in zip(compiled(function, target=target)(x), function(x), strict=True):
        torch.testing.assert_close(found, expected)
