"""Differences of neighbours, where what is sliced and its sizes are computed."""

from __future__ import annotations

import pytest
import torch


def _positions(x):
    return torch.arange(x.shape[1]).unsqueeze(0).expand(x.shape[0], -1)


def _differences(y):
    return y[:, 1:] - y[:, :-1]


def _of_positions(x):
    return _differences(_positions(x))


def _of_joined(x):
    doubled = x * 2
    return _differences(torch.cat([doubled[:, :1] - 1, doubled], -1))


def _sequences(x):
    """Number the sequences that lie packed in a row, as transformers' masks do."""
    positions = _positions(x)
    return (torch.diff(positions, prepend=positions[:, :1] - 1, dim=-1) != 1).cumsum(-1)


def _counted_steps(x):
    return (_differences(x) != 1).cumsum(-1) + 1


@pytest.mark.parametrize("function", [_of_positions, _of_joined, _sequences, _counted_steps])
def test_dynamic_sizes(compiled, function):
    run = compiled(function, dynamic=True)
    for size in ((3, 5), (2, 9), (4, 7)):
        x = torch.randint(0, 3, size)
        assert torch.equal(run(x), function(x))
