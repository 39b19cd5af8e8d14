"""Bytes keep their sign and their range in every kind of op."""

from __future__ import annotations

import pytest
import torch

OPS = {
    "sum": lambda x, y: x.sum(),
    "divide": lambda x, y: x / y,
    "floor-divide": lambda x, y: x // 3 + x // y,
    "remainder": lambda x, y: x % 7 + x % y,
    "equal": lambda x, y: x == 255,
    "greater": lambda x, y: x > 130,
    "abs": lambda x, y: x.abs(),
    "negate": lambda x, y: -x,
    "wrap": lambda x, y: x * 3 + 100 - y,
    "power": lambda x, y: x**2,
    "shift": lambda x, y: (x >> 1, x << 1),
    "with-float": lambda x, y: x * y.float(),
    "with-long": lambda x, y: x + y.long(),
    "maximum": torch.maximum,
    "clamp": lambda x, y: x.clamp(10, 120),
    "largest": lambda x, y: (x.amax(0), x.argmax()),
    "cumsum": lambda x, y: x.cumsum(0),
    "mean": lambda x, y: x.float().mean(),
    "bits": lambda x, y: ((x & y) | 1, ~x),
    "where": lambda x, y: torch.where(x > y, x, y),
    "index": lambda x, y: torch.arange(256)[x.long()],
    "matrix-product": lambda x, y: x.view(2, 2) @ y.view(2, 2),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=3),
    "extremes": lambda x, y: (x.max(), y.min()),
    "rounding": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
}


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_ops(each_equals_eager, dtype):
    x, y = (torch.tensor(v, dtype=torch.uint8).view(dtype) for v in ([0, 200, 255, 3], [1, 100, 128, 3]))
    each_equals_eager(OPS, x, y, rtol=1e-6, atol=0)


JOINED = {
    "where": lambda x, y: (torch.where(x > 3, x, y), torch.where(x > 3, y, x)),
    "cat": lambda x, y: torch.cat([x, y]),
    "stack": lambda x, y: torch.stack([y, x]),
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int64, torch.int8, torch.bool])
def test_bytes_among_tensors_of_another_type(each_equals_eager, dtype):
    x, y = torch.tensor([0, 200, 255, 3], dtype=torch.uint8), torch.tensor([-3, 4, 0, 100]).to(dtype)
    bits = {"bits": lambda x, y: (x & y, y | x, x ^ y)}
    each_equals_eager(JOINED if dtype.is_floating_point else JOINED | bits, x, y)


def test_an_op_of_int8_alone_stays_one(compiled):
    x = torch.arange(-128, 128, dtype=torch.int8).view(16, 16)
    torch.testing.assert_close(compiled(torch._int_mm)(x, x), torch._int_mm(x, x))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_several_results_are_left_to_torch():
    x = torch.tensor([0, 200, 255, 3], dtype=torch.uint8)
    run = torch.compile(lambda x: (x.sort(), x.topk(2), x + 1), backend="myjit_mlir")
    torch.testing.assert_close(run(x), (x.sort(), x.topk(2), x + 1))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_an_op_of_another_library_gets_its_bytes():
    packed = torch.randint(0, 255, (4, 16), dtype=torch.uint8)
    unpack = torch.ops.quantized.embedding_bag_byte_unpack
    run = torch.compile(lambda x: unpack(x) * 2, backend="myjit_mlir")
    torch.testing.assert_close(run(packed), unpack(packed) * 2, equal_nan=True)
