"""Copies of every type, along every dimension, with rows of all lengths."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8, torch.bool)


def numbers(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    x = torch.randint(-100, 100, shape)
    return x > 0 if dtype is torch.bool else x.to(dtype)


PERMUTED = {
    "heads": lambda x: x.unflatten(-1, (3, -1)).transpose(0, 1).contiguous(),
    "windows": lambda x: x.unflatten(0, (2, -1)).transpose(1, 2).contiguous(),
    "turned": lambda x: x.t().contiguous(),
    "repeated": lambda x: x.repeat(2, 3),
    "repeated elements": lambda x: x.repeat_interleave(3, 1),
    "every other": lambda x: x[:, ::2].contiguous(),
    "every third row": lambda x: x[1::3].contiguous(),
    "the end": lambda x: x[:, -1:].contiguous(),
    "diagonals": lambda x: x.unflatten(-1, (-1, 3)).diagonal(dim1=0, dim2=2).contiguous(),
    "overlapping": lambda x: x.unfold(1, 4, 2).contiguous(),
}


@pytest.mark.parametrize("shape", [(4, 6), (14, 33), (6, 3 * 64), (2, 3 * 5000), (600, 48)], ids=str)
def test_in_another_order(shape, each_equals_eager):
    each_equals_eager(PERMUTED, numbers(*shape), rtol=0, atol=0)


ACROSS = {
    "added": lambda x, y: x.t() + y,
    "both across": lambda x, y: (x.t() - x.relu().t()) * y,  # exact in bfloat16 up to the product
    "chosen": lambda x, y: torch.where(x.t() > 0, y, x.t()),
    "beside rows and columns": lambda x, y: x.t() + y[:1] - y[:, :1],
    "beside steps": lambda x, y: x.t()[:, : y.shape[1] // 2] + y[:, : y.shape[1] // 2 * 2 : 2],
    "turned over": lambda x, y: x.t() + y.flip(1),
    "into parts": lambda x, y: torch.cat([x.t() + y, y, x.t()], 1),
    "of channels": lambda x, y: (
        x.unflatten(1, (-1, 2)).permute(2, 1, 0) + y.unflatten(0, (-1, 2)).transpose(0, 1)
    ),
}


@pytest.mark.parametrize("dtype", TYPES[:-1], ids=str)
@pytest.mark.parametrize("shape", [(16, 32), (33, 50), (7, 130), (3, 64), (130, 2)], ids=str)
def test_computed_of_what_lies_across(shape, dtype, each_equals_eager):
    functions = {name: lambda args, f=f: f(*args) for name, f in ACROSS.items()}
    args = [numbers(*shape, dtype=dtype), numbers(*shape[::-1], dtype=dtype)]
    each_equals_eager(functions, args, rtol=0, atol=0)


@pytest.mark.parametrize("name", ["added", "both across", "turned over"])
def test_computed_across_alone(name, compiled):
    x, y = numbers(48, 66), numbers(66, 48)
    assert torch.equal(compiled(ACROSS[name], dynamic=False)(x, y), ACROSS[name](x, y))


@pytest.mark.parametrize("name", ["heads", "every other", "repeated"])
def test_alone(name, compiled):
    x = numbers(6, 3 * 64)
    assert torch.equal(compiled(PERMUTED[name], dynamic=False)(x), PERMUTED[name](x))


@pytest.mark.parametrize("size", [8, 33, 100])
def test_diagonals(size, compiled):
    x = torch.randn(size, size, requires_grad=True)
    run = compiled(lambda x: x.diagonal().clone(), dynamic=False)
    assert torch.equal(run(x), x.diagonal())

    def scattered(x):
        return x.diagonal_scatter(x.diagonal() + 1)

    out = torch.randn(size, size)
    (expected,) = torch.autograd.grad(scattered(x), x, out)
    (actual,) = torch.autograd.grad(compiled(scattered, dynamic=False)(x), x, out)
    torch.testing.assert_close(actual, expected)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("width", [1, 3, 7, 16, 31, 64, 1000])
def test_types_and_widths(dtype, width, each_equals_eager):
    functions = {
        "joined": lambda x: torch.cat([x, x[:, :1], x], 1),
        "padded": lambda x: F.pad(x, (2, 1, 0, 3), value=1),
        "rolled": lambda x: x.roll((1, 2), (0, 1)),
        "stacked": lambda x: torch.stack([x, x.flip(0)], -1),
        "rows turned over": lambda x: x.flip(1),
        "columns turned over": lambda x: x.flip(0),
        "all turned over": lambda x: x.flip(0, 1),
    }
    each_equals_eager(functions, numbers(5, width, dtype=dtype), rtol=0, atol=0)


TURNED_OVER = {
    "computed": lambda x, y: x.flip(2) * 2 + y,
    "two": lambda x, y: x.flip(-1) + y.flip(1) + x,
    "planes": lambda x, y: (x.flip(0) + y).relu(),
    "a turn": lambda x, y: torch.rot90(x, 1, (1, 2)),
    "of a part": lambda x, y: x[:, 2:7, 3:30].flip(2),
    "a part": lambda x, y: x.flip(2)[:, 2:7, 3:30],
    "every other": lambda x, y: x.flip(2)[..., ::2],
    "of columns": lambda x, y: x.transpose(1, 2).flip(2),
    "joined": lambda x, y: torch.cat([x, y.flip(2)], 2),
    "added up": lambda x, y: x.flip(1).sum(0),
    "short rows": lambda x, y: x[..., :2].flip(2),
    "compared": lambda x, y: x.flip(2) == y,
    "one element": lambda x, y: x.flip(0)[5, 0, 0] * 3 + y[0, 0, 0],
    "none": lambda x, y: x[:, :, :0].flip(1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_turned_over(dtype, each_equals_eager):
    each_equals_eager(TURNED_OVER, numbers(6, 9, 37, dtype=dtype), numbers(6, 9, 37, dtype=dtype))


@pytest.mark.parametrize("name", TURNED_OVER)
def test_turned_over_alone(name, compiled):
    x, y = torch.randn(6, 9, 37), torch.randn(6, 9, 37)
    torch.testing.assert_close(compiled(TURNED_OVER[name], dynamic=False)(x, y), TURNED_OVER[name](x, y))


def test_not_a_number_and_signed_zeros_are_kept(compiled):
    x = torch.tensor([0.0, -0.0, float("nan"), float("-inf")]).repeat(3, 9)
    actual = compiled(lambda x: F.pad(x, (1, 1), value=-0.0))(x)
    expected = F.pad(x, (1, 1), value=-0.0)
    assert torch.equal(actual.view(torch.int32), expected.view(torch.int32))


def test_large_copies_are_shared_by_threads(compiled):
    x, y = torch.randn(3, 700, 1030), torch.randn(3, 1, 1030)
    run = compiled(lambda x, y: torch.cat([x, y], 1))
    assert torch.equal(run(x, y), torch.cat([x, y], 1))


def test_copies_that_share_a_kernel_are_written_out(compiled, tmp_path):
    """Each has a place of its own in memory, that the kernel is told."""

    def function(x):
        products = [(x @ x.transpose(1, 2) * scale).relu() for scale in (2, 3)]
        turned = [each.flip(2).transpose(0, 1).contiguous() for each in products]
        return [torch.bmm(each, each) for each in turned]

    x = torch.randn(12, 12, 40)
    torch.testing.assert_close(compiled(function, dump=str(tmp_path))(x), function(x), rtol=1e-4, atol=1e-3)
    (after,) = tmp_path.glob("*/*-tiles.mlir")
    kernels = after.read_text().split("func.func @")[1:]
    (turned,) = [kernel for kernel in kernels if "broadcast" in kernel.split("(")[0]]
    assert "hal.interface.constant.load" in turned
    assert "linalg" not in turned
