"""Products by panels equal eager: whatever their sizes, layouts, types, and what follows them."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import myjit
from myjit.machine import own_features
from myjit.passes.pipeline import PIPELINES

matrices = "amxbf16" in own_features()
AVX2 = "--iree-llvmcpu-target-cpu=haswell"
#: Rows, steps of the sum, columns: as few as there may be, more than a panel's, none that anything divides.
SIZES = [(9, 16, 8), (17, 5, 33), (61, 100, 40), (197, 64, 197), (300, 515, 20), (40, 1100, 77)]
#: Also of a single step more than AMX's registers hold, of more rows than are one workgroup's, and of as many
#: columns as make panels of several strips.
HALF_SIZES = [
    (16, 16, 16),
    (5, 34, 7),
    (61, 100, 40),
    (130, 1100, 70),
    (33, 65, 17),
    (600, 1057, 31),
    (40, 70, 1700),
]
SIDES = {
    "as they lie": lambda a, b: a @ b,
    "right turned": lambda a, b: a @ b.t().contiguous().t(),
    "left turned": lambda a, b: a.t().contiguous().t() @ b,
    "result turned": lambda a, b: (a @ b).t().contiguous() + 1,
}
AFTER = {
    "bias and GELU": lambda a, b: F.gelu(a @ b + b[0]),
    "a number for each row": lambda a, b: (a @ b) * a[:, :1] - 1,
    "residual sum": lambda a, b: torch.tanh(a @ b) + (a @ b).square(),
    "truth values": lambda a, b: torch.where(a[:, :1] > 0, a @ b, b[0]),
    "whole numbers": lambda a, b: (a @ b * 8).int() + 1,
    "divided whole numbers": lambda a, b: (a @ b * 8).int() // (b[0].int().abs() + 1),
    "compared": lambda a, b: a @ b > b[0],
    "added to": lambda a, b: torch.addmm(b[0], a, b),
    "other half type": lambda a, b: (a @ b).half(),
    "numbers turned": lambda a, b: (
        a @ b + torch.arange(1.0 * a.shape[0] * b.shape[1]).view(b.shape[1], -1).t()
    ),
    "indices": lambda a, b: torch.where(
        torch.arange(a.shape[0])[:, None] >= torch.arange(b.shape[1]), a @ b, 0
    ),
    "looked up": lambda a, b: a @ b + b[torch.arange(a.shape[0])[:, None] % 7, torch.arange(b.shape[1])],
}
BATCHES = {
    "batches": lambda a, b: a.expand(3, *a.shape) @ (b * torch.arange(3.0).view(3, 1, 1)),
    "heads": lambda a, b: a.view(a.shape[0], 2, -1).transpose(0, 1) @ b.view(2, -1, b.shape[1]),
    "scores": lambda a, b: torch.einsum("qhd,khd->hqk", *[a.view(a.shape[0], 2, -1)] * 2),
    "one side": lambda a, b: torch.einsum("mk,bkn->bmn", a, torch.stack([b, b + 1])),
}


def inputs(size, dtype=torch.float32):
    rows, depth, columns = size
    return torch.randn(rows, depth, dtype=dtype), torch.randn(depth, columns, dtype=dtype)


@pytest.mark.parametrize("flags", [(), (AVX2,)], ids=["this processor", "AVX2"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sizes_and_layouts(size, flags, each_equals_eager):
    options = {"options": {"iree_flags": flags}}
    each_equals_eager(SIDES, *inputs(size), **options, atol=2e-4, rtol=1e-4)


@pytest.mark.skipif("avx2" not in own_features(), reason="no vectors that panels are written for")
@pytest.mark.parametrize(
    ("size", "taken"), [((8, 256, 64), 0), ((9, 256, 64), 1), ((64, 256, 8), 1), ((64, 256, 7), 0)], ids=str
)
def test_few_rows_and_columns_stay_with_iree(size, taken, compiled, tmp_path):
    x, w = inputs(size)
    compiled(F.linear, dump=str(tmp_path))(x, w.t().contiguous())
    (after,) = tmp_path.glob("*/*-tiles.mlir")
    assert ("vector.fma" in after.read_text()) == taken


@pytest.mark.parametrize("size", [(40, 48, 33), (64, 1040, 64)], ids=str)
def test_what_follows(size, each_equals_eager):
    a, b = inputs(size)
    exact = {"a": a.mul(4).round() / 4, "b": b.mul(4).round() / 4}  # sums of these have no rounding
    each_equals_eager(AFTER, *exact.values(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("size", [(40, 48, 33), (130, 96, 64)], ids=str)
def test_batches(size, each_equals_eager):
    each_equals_eager(BATCHES, *inputs(size), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("size", HALF_SIZES, ids=str)
def test_bfloat16(size, compiled, subtests):
    a, b = inputs(size, torch.bfloat16)
    for name, function in SIDES.items():
        with subtests.test(name):
            right = function(a.double(), b.double())
            errors = [
                (one(a, b).double() - right).norm() / right.norm() for one in (compiled(function), function)
            ]
            assert errors[0] <= 1.5 * errors[1] + 1e-6


@pytest.mark.parametrize("size", [(40, 48, 33), (64, 1039, 64)], ids=str)
def test_what_follows_bfloat16(size, each_equals_eager):
    a, b = (x.mul(4).round().div(4).bfloat16() for x in inputs(size))
    each_equals_eager(AFTER, a, b, atol=2e-2, rtol=2e-2)


@pytest.mark.skipif(
    not matrices, reason="the processor has no AMX, or Linux does not let this process use it"
)
@pytest.mark.parametrize("depth", [16, 64, 197, 1500])
def test_matrices_multiply_bfloat16(depth, tmp_path):
    a, b = (x.bfloat16() for x in inputs((64, depth, 256)))
    options = {"fallback": "error", "dump": str(tmp_path)}
    for i, side in enumerate(SIDES.values()):
        options["dump"] = str(tmp_path / str(i))
        torch.compile(side, backend="myjit_mlir", options=options, dynamic=False)(a, b)
        (after,) = tmp_path.glob(f"{i}/*/*-tiles.mlir")
        assert "tdpbf16ps" in after.read_text()


@pytest.mark.skipif(
    not matrices, reason="the processor has no AMX, or Linux does not let this process use it"
)
def test_matrices_beside_those_of_libraries(compiled):
    """Threads share the registers' shapes with what else runs on them."""
    a, b = (x.bfloat16() for x in inputs((100, 256, 70)))
    run, expected = compiled(torch.mm), a @ b
    for _ in range(20):
        torch.testing.assert_close(run(a, b), expected, atol=0.1, rtol=2e-2)
        assert torch.equal(a @ b, expected)


def test_parts_of_bfloat16_tensors(each_equals_eager):
    """Memory of parts begins behind that of what they are parts of."""
    parts = {
        "heads": lambda x, w: attention(*(x @ w).view(128, 3, 4, 64).permute(1, 2, 0, 3)),
        "columns": lambda x, w: x[:, 64:192] @ w[64:192, 32:64] + 1,
        "every other one": lambda x, w: (x + 1)[:, ::2] @ w[::2, :96],
        "every other one, turned": lambda x, w: x.t()[::2, ::2] @ w[:64, ::3],
        "of what is computed": lambda x, w: (x + 1)[5:69, 32:96] @ (w * 2)[:64],
    }
    x, w = torch.randn(128, 256).bfloat16() / 8, torch.randn(256, 768).bfloat16() / 8
    each_equals_eager(parts, x, w, atol=2e-2, rtol=3e-2)


def attention(q, k, v):
    return (q @ k.transpose(-1, -2)).softmax(-1) @ v


def test_gradients(compiled):
    layers = torch.nn.Sequential(torch.nn.Linear(48, 70), torch.nn.SiLU(), torch.nn.Linear(70, 33))
    x = torch.randn(50, 48, requires_grad=True)
    wanted = [x, *layers.parameters()]
    expected = torch.autograd.grad(layers(x).square().sum(), wanted)
    found = torch.autograd.grad(compiled(layers)(x).square().sum(), wanted)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-4)


@pytest.mark.skipif("avx2" not in own_features(), reason="no vectors that panels are written for")
def test_a_layer_is_one_kernel(compiled, tmp_path):
    layer = torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.GELU()).requires_grad_(False)
    pipelines = {"with": "cpu", "without": PIPELINES.get("cpu").without("multiply-by-panels")}
    for name, pipeline in pipelines.items():
        folder = tmp_path / name
        compiled(layer, dump=str(folder), pipeline=pipeline)(torch.randn(32, 64))
        (after,) = folder.glob("*/*-tiles.mlir")
        text = after.read_text()
        assert ("vector.fma" in text) == (name == "with")
        if name == "with":
            assert text.count("hal.executable private") == text.count("no_pipeline>") == 1


@pytest.mark.skipif("avx2" not in own_features(), reason="no vectors that panels are written for")
def test_what_follows_reads_numbers_that_are_tensors(compiled, tmp_path):
    """As gradients of ReLU do: zeros take the place of some."""
    a, b, zero = torch.randn(32, 64), torch.randn(64, 96), torch.tensor(0.5)

    def function(a, b, zero):
        return torch.where(b[:32] > 0, zero, a @ b)

    run = compiled(function, dump=str(tmp_path))
    torch.testing.assert_close(run(a, b, zero), function(a, b, zero), atol=1e-4, rtol=1e-4)
    (after,) = tmp_path.glob("*/*-tiles.mlir")
    assert "vector.fma" in after.read_text()


def test_numbers_alone_are_no_products(compiled):
    """A dispatch may give a single number, which lies along no vector."""
    a, b, places = torch.randn(40, 50), torch.randn(40, 50), torch.randint(0, 50, (40,))

    def function(a, b, places):
        return F.cross_entropy(a, places), (a * b).sum(), torch.dot(a[0], b[0]), (a @ b.t()).sum()

    before = myjit.stats()["partitions"]
    for found, right in zip(compiled(function)(a, b, places), function(a, b, places), strict=True):
        torch.testing.assert_close(found, right, atol=1e-3, rtol=1e-4)
    assert myjit.stats()["partitions"] == before + 1


def test_sums_of_squares_are_no_products(compiled):
    """Their loops multiply one tensor by itself."""
    x = torch.randn(64, 300)
    before = myjit.stats()["partitions"]
    torch.testing.assert_close(compiled(lambda x: (x * x).sum(1))(x), (x * x).sum(1))
    assert myjit.stats()["partitions"] == before + 1
