"""What is known when the program is compiled, as it was and after it was written into."""

from __future__ import annotations

import pytest
import torch


def places(x):
    found = x[:1].argmin(0, keepdim=True)
    return found, found.scatter(0, found.remainder(1), 3)


def ranges(x):
    v = torch.arange(6, device=x.device)
    at = torch.tensor([1, 3], device=x.device)
    return v, v.index_put((at,), at * 10), v.scatter(0, at, 7) + v


def parts(x):
    v = torch.arange(12, device=x.device).view(3, 4).float()
    w = v.clone()
    w[1:, :2] = v[:2, 2:]
    return v, w, x[:4] + w


@pytest.mark.parametrize("function", [places, ranges, parts], ids=lambda f: f.__name__)
def test_equal_to_eager_call_after_call(compiled, target, device, function):
    run = compiled(function, target=target)
    for _ in range(3):
        x = torch.randint(-9, 9, (12,), device=device).float()
        for found, expected in zip(run(x), function(x), strict=True):
            torch.testing.assert_close(found, expected)
