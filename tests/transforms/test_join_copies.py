"""Tensors put together of parts, by one dispatch or several."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F


def with_number(x: torch.Tensor, place: object, number: float) -> torch.Tensor:
    """A copy with a number in some places."""
    copy = x.clone()
    copy[place] = number
    return copy


FUNCTIONS = {
    "joined": lambda x, y: torch.cat([x, y], 1),
    "joined in the batch": lambda x, y: torch.cat([y, x, y]),
    "joined at the end": lambda x, y: torch.cat([x, y[..., :3], x], -1),
    "one more dimension": lambda x, y: torch.stack([x, y], 2),
    "the innermost dimension": lambda x, y: torch.stack([x, y], -1),
    "of what was joined": lambda x, y: torch.cat([torch.cat([x, y], 1), torch.cat([y, x], 1)], 2),
    "of what is computed of views and joined": lambda x, y: torch.cat(
        [torch.cat([x.flatten(0, 1).relu() + 1, y[0] * 2]), y[1]]
    ),
    "a part of what was joined": lambda x, y: torch.cat([torch.cat([x, y], 1)[:, 1:4], y], 1),
    "slices of what was joined": lambda x, y: ((z := F.pad(x, (2, 2))).roll(1, 0), z.sum(-1)),
    "rolled in the batch": lambda x, y: x.roll(1, 0),
    "of slices": lambda x, y: torch.cat([x[1:], y[:1], x[:1] * 2], 0),
    "rolled twice": lambda x, y: x.roll((1, 2), (1, 2)),
    "padded": lambda x, y: F.pad(x, (1, 2, 3, 0)),
    "padded by a number": lambda x, y: F.pad(x, (0, 0, 1, 1), value=2.5),
    "padded twice": lambda x, y: F.pad(F.pad(x, (1, 1)), (0, 0, 2, 1), value=1.0),
    "padded and joined": lambda x, y: torch.cat([F.pad(x, (1, 1)), F.pad(y, (2, 0))], 1),
    "cut and padded": lambda x, y: F.pad(x, (1, -2, -1, 1)),
    "written into": lambda x, y: x.slice_scatter(y[:, :2], 1, 1, 3),
    "written over": lambda x, y: x.slice_scatter(y[:, :2], 1, 1, 3).slice_scatter(y[:, :1], 1, 2, 3),
    "a number written into": lambda x, y: with_number(x, (slice(None), slice(1, 3)), 2.5),
    "a number written into rows": lambda x, y: with_number(x, slice(0, 1), -1),
    "a number written into columns": lambda x, y: with_number(x + 1, (..., slice(2)), 0) * y,
    "numbers written over": lambda x, y: with_number(with_number(x, (..., 0), 1), slice(1, 2), 2),
    "a number and a part": lambda x, y: torch.cat([with_number(x, (..., slice(2)), 3), y], 1),
    "a number written into in steps": lambda x, y: with_number(x, (..., slice(0, None, 2)), 3),
    "written into in steps": lambda x, y: x.slice_scatter(y[..., :3], 2, 0, 6, 2),
    "written into, turned": lambda x, y: torch.slice_scatter(x.mT, y.mT[:, :2], 1, 1, 3).contiguous(),
    "one element": lambda x, y: x.select_scatter(y[:, 0], 1, 2),
    "zeros written into": lambda x, y: torch.zeros_like(x).slice_scatter(y[:, :2], 1, 1, 3),
    "spread": lambda x, y: F.conv_transpose1d(x, y.transpose(0, 1)[..., :2].contiguous(), stride=3),
    "computed parts": lambda x, y: torch.cat([x * 2, y.relu(), x - y], 1) + 1,
    "computed parts, padded": lambda x, y: F.pad(x * y, (1, 2)).relu(),
    "computed of rows": lambda x, y: torch.cat([x * y[0, 0], x + y[:, :1], y[..., :1] - x], 1),
    "a part of what is computed": lambda x, y: torch.cat(
        [(x * 2)[:, 1:3], (x - y)[..., 1:2].expand(x.shape)], 1
    ),
    "computed after": lambda x, y: torch.cat([x, y], 1) * y[0, 0] + y[:, :1],
    "computed before and after": lambda x, y: torch.stack([x + y, x - y], -1).flatten(-2) / 3,
    "computed of the whole twice": lambda x, y: (z := torch.cat([x, y], 1)) * z.neg(),
    "computed and used twice": lambda x, y: torch.cat([z := x * y, z, x], 1),
    "computed for others too": lambda x, y: (torch.cat([z := x * y, x], 1), z.sum()),
    "turned after": lambda x, y: torch.cat([x, y], 1).mT + 1,
    "choices": lambda x, y: torch.cat([torch.where(x > y, x, 0.5), x.clamp(-1, 1)], 2),
    "truth values": lambda x, y: torch.cat([x > y, x < 0.1], 1),
    "float64": lambda x, y: torch.cat([x.double() * 2, y.double()], 1).float(),
    "integers": lambda x, y: torch.cat([(x * 9).int() * 3, (y * 9).int() & 5], 1).to(torch.uint8) + 1,
    "bfloat16": lambda x, y: torch.cat([x.bfloat16() * 2, y.bfloat16()], 1).neg(),
    "exponentials": lambda x, y: torch.cat([x.exp(), y.sigmoid()], 1).tanh(),
    "every other": lambda x, y: x[..., ::2] + y[..., 1::2],
    "every other row": lambda x, y: x[:, ::2] * 2 + y[:, 1::2],
    "turned by pairs": lambda x, y: torch.stack(
        [x[..., ::2] * y[..., 1::2] - 1, x[..., 1::2] + y[0, 0, ::2]], -1
    ).flatten(-2),
    "a number in turn": lambda x, y: torch.stack([x, torch.zeros_like(y)], -1),
    "three in turn": lambda x, y: torch.stack([x, y, x], -1),
    "four in turn": lambda x, y: torch.stack([x, y, y * 2, x], -1),
    "in turn, both ways": lambda x, y: (torch.stack([x, y], -1), torch.stack([y, x], -1)),
    "bytes in turn": lambda x, y: torch.stack([x > 0, y > 0], -1),
    "halves in turn": lambda x, y: torch.stack([x.half(), y.half()], -1),
    "read by others too": lambda x, y: (torch.cat([x, y], 1).sum(1), torch.cat([x, y], 1)),
    "many": lambda x, y: torch.cat([x[:, i % 4 : i % 4 + 1] for i in range(60)], 1),
    "nothing in it": lambda x, y: torch.cat([x, y[:, :0]], 1),
}


@pytest.mark.parametrize("width", [6, 32, 514])
def test_equal_to_eager(width, each_equals_eager):
    x, y = torch.randn(2, 4, width), torch.randn(2, 4, width)
    each_equals_eager(FUNCTIONS, x, y)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_alone(name, compiled):
    x, y = torch.randn(2, 4, 64), torch.randn(2, 4, 64)
    before = x.clone(), y.clone()
    torch.testing.assert_close(compiled(FUNCTIONS[name], dynamic=False)(x, y), FUNCTIONS[name](x, y))
    assert torch.equal(x, before[0])
    assert torch.equal(y, before[1])


@pytest.mark.parametrize("name", ["joined", "padded", "written into", "rolled twice"])
def test_sizes_that_change(name, compiled):
    run = compiled(FUNCTIONS[name], dynamic=True)
    for width in (6, 7, 64):
        x, y = torch.randn(2, 4, width), torch.randn(2, 4, width)
        torch.testing.assert_close(run(x, y), FUNCTIONS[name](x, y))


def test_squares_written_into_across(compiled):
    def across(x):
        v = x.clone()
        v.mT[1:] = 0
        w = torch.stack([x, x]).mT.flatten(0, 1).clone()
        w[:, 1::2] *= 2
        return v, w

    x = torch.randn(7, 7)
    for actual, expected in zip(compiled(across, dynamic=False)(x), across(x), strict=True):
        assert torch.equal(actual, expected)


def test_the_callers_memory_is_written_in_place_where_the_program_says_so(compiled):
    def cache(keys: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        keys[:, 3:5] = new
        return keys * 2

    keys, new = torch.randn(2, 8, 64), torch.randn(2, 2, 64)
    expected, wanted = keys.clone(), None
    wanted = cache(expected, new)
    assert torch.equal(compiled(cache)(keys, new), wanted)
    assert torch.equal(keys, expected)


def _read_before(x, y):
    joined = torch.cat([x * 2, y + 1], 1)
    x.mul_(y)
    return joined * 3


def _read_in_steps_before(x, y):
    turned = torch.stack([x[..., ::2] * y[..., 1::2], x[..., 1::2] + 1], -1).flatten(-2)
    x.copy_(turned)
    return turned


def _computed_of_what_is_written(x, y):
    twice = x * 2
    y.copy_(twice)
    joined = torch.cat([twice, y], 1)
    x.zero_()
    return joined.relu()


@pytest.mark.parametrize("function", [_read_before, _read_in_steps_before, _computed_of_what_is_written])
def test_inputs_that_are_written(function, compiled):
    own = [torch.randn(2, 4, 64) for _ in range(2)]
    others = [x.clone() for x in own]
    run = compiled(function, dynamic=False)
    for _ in range(2):
        torch.testing.assert_close(run(*own), function(*others))
        torch.testing.assert_close(own, others)
