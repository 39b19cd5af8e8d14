"""Graphs with dynamic sizes equal eager at sizes other than the captured ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import myjit

SIZES = [(3, 5), (4, 7), (2, 9), (6, 3), (1, 1)]


def same(actual: Any, expected: Any) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4, equal_nan=True)


def run_all(compiled: Callable[..., Any], function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    run = compiled(function, dynamic=True)
    with torch.no_grad():
        for arguments in calls:
            same(run(*arguments), function(*arguments))


CASES: dict[str, Callable[[torch.Tensor], Any]] = {
    "elementwise": lambda x: torch.relu(x) * 2 + x,
    "broadcast": lambda x: x + x.sum(0, keepdim=True) + x[:, :1],
    "matmul": lambda x: x @ x.transpose(1, 2),
    "softmax": lambda x: torch.softmax(x, 1) + torch.log_softmax(x, 0),
    "layer_norm": lambda x: F.layer_norm(x, (8,)),
    "cat": lambda x: torch.cat([x, x * 2, x[:, :1]], 1),
    "stack": lambda x: torch.stack([x, x + 1], 1).flatten(0, 1),
    "arange": lambda x: x + torch.arange(x.shape[1])[None, :, None],
    "full": lambda x: x + torch.full((x.shape[0], 1, 8), 2.0),
    "zeros_like": lambda x: torch.zeros_like(x) + torch.ones(x.shape[0], x.shape[1], 8),
    "expand": lambda x: x[:, :1].expand(-1, x.shape[1], -1) * 2,
    "repeat": lambda x: x.repeat(2, 1, 3) + 1,
    "repeat_interleave": lambda x: x.repeat_interleave(3, dim=1) * 2,
    "index": lambda x: x[:, torch.arange(x.shape[1] - 1, -1, -1)],
    "slice": lambda x: x[:, x.shape[1] // 2 :] * 3,
    "last": lambda x: x[:, -1] + 1,
    "collapse": lambda x: (x * 2).view(x.shape[0] * x.shape[1], 8),
    "collapse_infer": lambda x: (x * 2).reshape(-1, 8),
    "collapse_all": lambda x: (x * 2).view(-1) + 1,
    "swap": lambda x: (x * 2).view(x.shape[1], x.shape[0], 8) + 1,
    "heads": lambda x: (x * 2).view(x.shape[0], x.shape[1], 2, 4).transpose(1, 2).reshape(-1, 4),
    "transposed": lambda x: (x.transpose(0, 1) * 2).reshape(x.shape[1], -1),
    "ones": lambda x: (x * 2).view(1, x.shape[0], 1, x.shape[1], 8, 1) + 1,
    "means": lambda x: x.mean((0, 1)) + x.var((0, 1)) + x.amax((0, 1)),
    "divided_by_size": lambda x: x.sum(1) / x.shape[1],
    "size_scaled": lambda x: x * x.shape[0] ** 0.5,
    "sizes_out": lambda x: (x + 1, x.shape[0] * x.shape[1], x.shape[1] + 1),
    "cumsum": lambda x: x.cumsum(1),
    "tril": lambda x: torch.tril(x @ x.transpose(1, 2)),
    "pad": lambda x: F.pad(x, (1, 2, 0, 3), value=1.0),
    "roll": lambda x: x.roll(1, 1) + 1,
    "flip": lambda x: x.flip(1) * 2,
    "where": lambda x: torch.where(x > 0, x, x.mean()),
    "argmax": lambda x: x.argmax(1),
    "gather": lambda x: x.gather(2, (x > 0).long()),
    "einsum": lambda x: torch.einsum("bsd,bte->bde", x, x),
    "attention": lambda x: F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None]),
    "causal": lambda x: F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None], is_causal=True),
}


def groups(names: Iterable[str], size: int) -> list[Any]:
    """Share names out among tests: what compiles as one program takes less time."""
    found = list(names)
    parts = [found[i : i + size] for i in range(0, len(found), size)]
    return [pytest.param(part, id=f"{part[0]}...{part[-1]}") for part in parts]


def run_each(
    compiled: Callable[..., Any],
    subtests: pytest.Subtests,
    functions: dict[str, Callable[[torch.Tensor], Any]],
    inputs: list[torch.Tensor],
) -> None:
    """Compile functions as one program, and compare each one's results of every input with eager's."""
    run = compiled(lambda x: {name: function(x) for name, function in functions.items()}, dynamic=True)
    with torch.no_grad():
        for x in inputs:
            actual = run(x)
            for name, function in functions.items():
                with subtests.test(name, shape=tuple(x.shape)):
                    same(actual[name], function(x))


def test_a_size_that_turns_out_to_be_fixed(compiled):
    # Attention fixes the last size, after the gather has been traced with any.
    calls = [(torch.randn(*s, 8),) for s in SIZES]
    run_all(compiled, lambda x: (CASES["gather"](x), CASES["attention"](x)), calls)


@pytest.mark.parametrize("names", groups(CASES, 10))
def test_two_dynamic_dimensions(compiled, subtests, names):
    inputs = [torch.randn(*s, 8) for s in SIZES]
    run_each(compiled, subtests, {name: CASES[name] for name in names}, inputs)


IMAGES: dict[str, Callable[[], Callable[..., Any]]] = {
    "conv": lambda: nn.Conv2d(3, 4, 3, padding=1),
    "conv_stride": lambda: nn.Conv2d(3, 4, 3, stride=2),
    "conv_transpose": lambda: nn.ConvTranspose2d(3, 4, 2, stride=2),
    "max_pool": lambda: nn.MaxPool2d(2),
    "avg_pool": lambda: nn.AvgPool2d(2, padding=1),
    "global_pool": lambda: nn.AdaptiveAvgPool2d(1),
    "batch_norm": lambda: nn.BatchNorm2d(3).eval(),
    "nearest": lambda: nn.Upsample(scale_factor=2, mode="nearest"),
    "bilinear": lambda: nn.Upsample(scale_factor=2, mode="bilinear"),
    "to_size_of": lambda: lambda x: F.interpolate(x, size=(x.shape[2] + 3, x.shape[3] * 2), mode="nearest"),
    "flatten": lambda: nn.Sequential(nn.Conv2d(3, 4, 1), nn.Flatten(2)),
}


@pytest.mark.parametrize("names", groups(IMAGES, 6))
def test_images_of_any_size(compiled, subtests, names):
    sizes = [(2, 8, 8), (3, 12, 10), (1, 7, 9), (4, 16, 6)]
    inputs = [torch.randn(b, 3, h, w) for b, h, w in sizes]
    run_each(compiled, subtests, {name: IMAGES[name]() for name in names}, inputs)


#: What torch-mlir cannot lower, or the importer cannot take, with dynamic sizes.
IN_TORCH: dict[str, Callable[[torch.Tensor], Any]] = {
    "chunk": lambda x: torch.chunk(x * 2, 2, dim=2),
    "one_hot": lambda x: F.one_hot((x[..., 0] > 0).long(), 2),
    "group_norm": lambda x: F.group_norm(x.transpose(1, 2), 4) + 1,
    "nonzero": lambda x: torch.nonzero(x > 0) + 1,
    "fft": lambda x: torch.fft.rfft(x * 2).abs() + 1,
}


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("name", IN_TORCH)
def test_fallback_with_dynamic_sizes(compiled, name):
    run = compiled(IN_TORCH[name], dynamic=True, fallback="eager")
    for size in SIZES:
        x = torch.randn(*size, 8)
        same(run(x), IN_TORCH[name](x))


@pytest.mark.parametrize("batch_first", [True, False])
def test_multihead_attention(compiled, batch_first):
    attention = nn.MultiheadAttention(16, 4, batch_first=batch_first).eval()
    calls = [(torch.randn(*s, 16),) for s in SIZES]
    run_all(compiled, lambda x: [attention(x, x, x, need_weights=w) for w in (True, False)], calls)
    assert myjit.stats()["ops_fallback"] == 0
    assert set(myjit.stats()["by_design_reasons"]) <= {"symbolic"}


def test_second_batch_size_just_works(compiled):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    run = compiled(model)
    with torch.no_grad():
        for batch in (3, 5, 7, 2, 64, 1):
            x = torch.randn(batch, 8)
            same(run(x), model(x))
    assert myjit.stats()["graphs"] <= 3  # static, dynamic, and size one


def test_mark_dynamic(compiled):
    run = compiled(lambda x: torch.softmax(x, 0) * x.shape[0])
    x = torch.randn(5, 4)
    torch._dynamo.mark_dynamic(x, 0)
    for tensor in (x, torch.randn(9, 4), torch.randn(2, 4)):
        same(run(tensor), torch.softmax(tensor, 0) * tensor.shape[0])
    assert myjit.stats()["graphs"] == 1


def test_changed_integer_argument(compiled):
    run = compiled(lambda x, n: (x * n)[:, :n] + torch.arange(n))
    for n in (2, 3, 4, 5, 1, 0):
        x = torch.randn(3, 6)
        same(run(x, n), (x * n)[:, :n] + torch.arange(n))


def test_changed_float_argument(compiled):
    run = compiled(lambda x, factor: x * factor + 1)
    x = torch.randn(3, 6)
    for factor in (0.5, 1.5, 2.25, -3.0):
        same(run(x, factor), x * factor + 1)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0), ()], ids=str)
def test_empty_and_scalar_tensors(compiled, shape):
    function = lambda x: (x * 2 + 1, x.sum(), torch.relu(x))  # noqa: E731
    x = torch.randn(shape)
    same(compiled(function)(x), function(x))


def test_empty_after_dynamic_capture(compiled):
    function = lambda x: (x * 2 + 1, x.sum(0))  # noqa: E731
    run_all(compiled, function, [(torch.randn(n, 4),) for n in (3, 5, 0, 1)])


def test_dynamic_training(compiled):
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
    run = compiled(model, dynamic=True)
    for batch, length in SIZES:
        x = torch.randn(batch, length, 8)
        got = torch.autograd.grad(run(x).square().mean(), list(model.parameters()))
        same(got, torch.autograd.grad(model(x).square().mean(), list(model.parameters())))
