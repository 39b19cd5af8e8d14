"""Constants, and what is computed from them, are what torch makes of them."""

from __future__ import annotations

import operator

import pytest
import torch

BINARY = {
    **{name: getattr(operator, name) for name in ("lt", "gt", "le", "ge", "eq", "ne", "add", "sub", "mul")},
    **{name: getattr(operator, name) for name in ("truediv", "floordiv", "mod", "pow")},
    "fmod": torch.fmod,
    "from number": lambda x, number: number - x,
    "multiple": lambda x, number: torch.sub(x, number, alpha=2),
}
UNARY = {
    name: getattr(torch, name) for name in ("sign", "trunc", "abs", "neg", "square", "sum", "argmax", "relu")
}
NUMBERS = (-3, 2, 0, -1.5, 2.5)


def constant(value, shape, dtype):
    return torch.full(shape, value, dtype=dtype)


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.int64, torch.int32, torch.int8], ids=str
)
@pytest.mark.parametrize("shape", [(), (3,), (20, 30)], ids=str)
def test_each_op(each_equals_eager, shape, dtype):
    values = (-2, 3)
    functions = {
        f"{name} {value} {number}": lambda x, op=op, value=value, number=number: op(
            constant(value, shape, dtype), number
        )
        for name, op in BINARY.items()
        for value in values
        for number in NUMBERS
        if dtype.is_floating_point or (number != 0 and not (name == "pow" and number == -3))
    }
    functions |= {
        f"{name} {value}": lambda x, op=op, value=value: op(constant(value, shape, dtype))
        for name, op in UNARY.items()
        for value in values
    }
    each_equals_eager(functions, torch.ones(2), equal_nan=True)


def _overwritten(x):
    y = x.clone()
    y[..., None, :] = 3
    return y.sign(), y > 2, y < 1


def _with_itself(compare, x):
    return compare(x, x).float()


def _all(x):
    return torch.ones(x.shape[-1], dtype=torch.bool)


def test_what_is_constant_whatever_the_input(each_equals_eager):
    functions = {
        "overwritten": _overwritten,
        "filled": lambda x: torch.fill(x, torch.tensor(3.0)).sign(),
        "masked": lambda x: x.masked_fill(_all(x), 3.0).sign(),
        "chosen": lambda x: torch.where(_all(x), torch.tensor(3.0), x).sign(),
        "the other": lambda x: torch.where(~_all(x), x, torch.tensor(3.0)).sign(),
        "kept": lambda x: torch.where(_all(x), x, torch.tensor(3.0)).sign(),
        "equal": lambda x: _with_itself(operator.eq, x.long()).sign(),
        "not larger": lambda x: (_with_itself(operator.le, x.long()) + 2).sign(),
        "unequal": lambda x: (_with_itself(operator.ne, x.long()) + 3).sign(),
        "equal but for NaN": lambda x: _with_itself(operator.eq, x).sign(),
    }
    x = torch.linspace(-3, 3, 21).view(3, 7).clone()
    x[1, 2] = float("nan")
    each_equals_eager(functions, x)


def test_literals(each_equals_eager):
    rows = torch.tensor([[1.0, -2.0], [3.0, float("nan")]])
    functions = {
        "negated": lambda x: torch.tensor([1.0, 2.0, 3.0]) * -1,
        "written": lambda x: torch.tensor([1, 2, 3]).index_fill(0, torch.tensor([1]), -7),
        "maxima": lambda x: torch.tensor([[1.0, 5.0], [7.0, 2.0]]).max(1),
        "of the program": lambda x: rows * -1 + x,
        "transposed": lambda x: (rows * -1).t(),
        "counted": lambda x: torch.arange(5) * -2 + 1,
        "zeros": lambda x: -torch.zeros(3),
        "joined": lambda x: torch.cat([torch.ones(3) * -1, torch.zeros(1)]),
        "truth values": lambda x: (torch.ones(4) > 0) & (torch.arange(4) != -1),
        "large": lambda x: (torch.full((300, 300), 2.0) * -3).t() + x[0],
        "bytes": lambda x: torch.full((2,), 200, dtype=torch.uint8) * 2 + x.to(torch.uint8),
        "a column": lambda x: (torch.tril_indices(3, 3) + 3).mT.relu().unbind(1)[-1] + x.long()[0],
        "nothing": lambda x: (torch.ones(0, 4) * 2).mT.relu(),
        "halves": lambda x: torch.ones(3, dtype=torch.float16) * -3,
    }
    actual = each_equals_eager(functions, torch.ones(2), equal_nan=True)
    assert torch.equal(actual["zeros"].signbit(), torch.tensor([True] * 3))


def test_results_are_new_at_each_call(compiled):
    run = compiled(lambda x: (torch.tensor([1.0, 2.0]) * -1, torch.ones(2) * -1, x + 1))
    first = run(torch.ones(2))
    first[0].add_(5)
    first[1].add_(5)
    second = run(torch.ones(2))
    assert second[0].tolist() == [-1, -2]
    assert second[1].tolist() == [-1, -1]


def test_sizes_that_change(compiled):
    run = compiled(lambda x: torch.ones(x.shape[0]) * -1 + torch.arange(x.shape[0]) * -2, dynamic=True)
    for size in (3, 5):
        x = torch.ones(size)
        torch.testing.assert_close(run(x), torch.ones(size) * -1 - torch.arange(size) * 2)


def test_random_numbers_stay_random(compiled):
    run = compiled(lambda x: (torch.rand(3) * 2, x), fallback="eager")
    x = torch.ones(2)
    assert not torch.equal(run(x)[0], run(x)[0])
