"""NaN goes through bounds and extremes, as in torch."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

NAN = float("nan")
FUNCTIONS = {
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "the other of NaN": lambda x, y: (torch.fmax(x, y), torch.fmin(x, y)),
    "clamp": lambda x, y: x.clamp(-1, 1) + x.clamp(max=0.5) + x.clamp_min(0),
    "relu6": lambda x, y: F.relu6(x),
    "hardtanh": lambda x, y: F.hardtanh(x),
    "hardsigmoid": lambda x, y: F.hardsigmoid(x),
    "hardswish": lambda x, y: F.hardswish(x),
    "relu": lambda x, y: x.relu(),
    "extremes": lambda x, y: (x.amax(), x.amin(), x.max(), y.min()),
    "places": lambda x, y: (y.max(0), y.min(0), y.argmax(), y.argmin(0, keepdim=True), x[3:].max(0)),
    "ties": lambda x, y: (x.isnan().float().argmax(), x.isnan().float().min(0)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_special_values(each_equals_eager, dtype):
    x = torch.tensor([NAN, 1.0, NAN, 2.0, -3.0, 0.5], dtype=dtype)
    y = torch.tensor([1.0, NAN, NAN, 2.0, 0.0, 0.25], dtype=dtype)
    each_equals_eager(FUNCTIONS, x, y, equal_nan=True)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_sorting_puts_nan_last():
    def function(x):
        return x.sort(), x.topk(3), x.argsort(descending=True)

    x = torch.tensor([NAN, 1.0, -2.0, NAN, 3.0])
    actual = torch.compile(function, backend="myjit_mlir")(x)
    for got, want in zip(actual[:2], function(x)[:2], strict=True):
        torch.testing.assert_close(got.values, want.values, equal_nan=True)
    assert torch.equal(actual[2], function(x)[2])


@pytest.mark.parametrize(
    "types", [(torch.float32, torch.float16), (torch.int64, torch.float32), (torch.int8,) * 2]
)
def test_of_two_types_and_shapes(each_equals_eager, types):
    a, b = torch.tensor([[[-3], [2], [5]]]).to(types[0]), torch.arange(-4, 4).to(types[1])
    if types[1].is_floating_point:
        b[2] = NAN
    functions = {name: getattr(torch, name) for name in ("maximum", "minimum", "fmax", "fmin")}
    each_equals_eager(functions, a, b, options={"dynamic": False}, equal_nan=True)
