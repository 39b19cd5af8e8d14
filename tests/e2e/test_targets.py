"""The same programs on every target: values, memory order, dynamic sizes, training, fallback, streams."""

from __future__ import annotations

import copy
from functools import partial

import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_leaves

import myjit
from myjit.errors import FallbackWarning

TOLERANCE = {torch.float32: 2e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1, torch.float64: 1e-7}

FUNCTIONS = {
    "pointwise": lambda x: torch.sigmoid(x) * x.cos() + x.exp().tanh(),
    "matmul": lambda x: nn.functional.gelu(x @ x.mT + 1),
    "softmax": lambda x: x.softmax(-1),
    "columns": lambda x: x.softmax(0),
    "layer-norm": lambda x: nn.functional.layer_norm(x, x.shape[-1:]),
    "sums": lambda x: (x.sum(), x.mean(0), x.amax(1, keepdim=True), x.argmax(-1)),
    "pooled": lambda x: nn.functional.adaptive_avg_pool3d(x.view(1, 3, 8, 8, 5), (5, 7, None)),
    "constants": lambda x: torch.where(
        torch.tensor(True, device=x.device), x * torch.tensor([[2.5], [-1.5]], device=x.device)[:1], x
    ),
    "permuted": lambda x: (x + 1).mT,
    "filled": lambda x: (torch.zeros_like(x), torch.full_like(x, 2.5), x * 2),
    "joined": lambda x: torch.cat([x, x[:3] * 2, torch.ones_like(x)]),
    "compared": lambda x: (x > 0, torch.where(x > 0, x, 0), x.to(torch.int32), (x * 8).to(torch.uint8)),
    "scattered": lambda x: torch.zeros_like(x).scatter_add(0, (x > 0).long(), x),
}


@pytest.fixture
def compiled(compiled, target):
    return partial(compiled, target=target)


def assert_close(actual, expected, dtype):
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def is_refused(target, name, dtype):
    """Tell whether the code generator refuses a function: maxima of bfloat16 for Vulkan ('spirv.Bitcast')."""
    return target == "vulkan" and name == "sums" and dtype == torch.bfloat16


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_functions_equal_eager(each_equals_eager, target, device, dtype):
    functions = {name: f for name, f in FUNCTIONS.items() if not is_refused(target, name, dtype)}
    x = torch.randn(24, 40, device=device).abs().to(dtype)
    tolerance = TOLERANCE[dtype]
    actual = each_equals_eager(functions, x, rtol=tolerance, atol=tolerance)
    assert all(value.device == x.device for value in tree_leaves(actual))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ["sums", "softmax", "columns", "matmul"])
def test_a_function_alone_equals_eager(compiled, target, device, name, dtype):
    fallback = "eager" if is_refused(target, name, dtype) else "error"
    x = torch.randn(24, 40, device=device).abs().to(dtype)
    assert_close(compiled(FUNCTIONS[name], fallback=fallback)(x), FUNCTIONS[name](x), dtype)


@pytest.mark.parametrize("name", ["sin", "cos", "exp", "erf"])
def test_digits(compiled, target, device, name):
    function = getattr(torch, name)
    scales = torch.tensor([1e-12, 1e-3, 1.0, 10.0, 80.0, 1e3, 9e4, *([] if target == "vulkan" else [4e6])])
    x = torch.rand(len(scales), 4000).sub(0.5).mul(2 * scales[:, None]).flatten()
    x = x[(name != "exp") | (x.abs() < 80)]
    exact, actual = function(x.double()), compiled(function)(x.to(device)).cpu().double()
    relative, absolute = (3e-5, 2e-6) if target == "vulkan" else (3e-7, 3e-7)
    torch.testing.assert_close(actual[x.abs() < 1], exact[x.abs() < 1], rtol=relative, atol=1e-37)
    torch.testing.assert_close(
        actual, exact, rtol=relative, atol=absolute if name in ("sin", "cos") else 1e-37
    )


def test_auto_follows_the_inputs(device):
    report = myjit.explain(lambda x: x * 2 + 1, torch.randn(8, device=device))
    assert all(part.compiled for graph in report.graphs for part in graph.parts)
    drivers = {part.driver for graph in report.graphs for part in graph.parts}
    assert drivers == ({"local-sync"} if device == "cpu" else {"cuda://0"})


def test_channels_last_convolution(compiled, device):
    layer = nn.Conv2d(3, 8, 3, padding=1).to(device)
    x = torch.randn(2, 3, 16, 16, device=device).to(memory_format=torch.channels_last)
    with torch.no_grad(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        expected, actual = layer(x), compiled(layer)(x)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)
    assert actual.stride() == expected.stride()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("size_stride_padding", [(1, 1, 0), (1, 2, 0), (3, 2, 1)], ids=str)
@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_half_convolutions_are_right(compiled, device, size_stride_padding, dtype):
    layer = nn.Conv2d(64, 128, *size_stride_padding).to(device, dtype)
    x = torch.randn(2, 64, 16, 16, device=device, dtype=dtype)
    with torch.no_grad():
        assert_close(compiled(layer, fallback="eager")(x), layer(x), dtype)


def test_sizes_change_between_calls(compiled, device):
    run = compiled(lambda x: (x.softmax(-1) @ x.mT, x.sum(0)), dynamic=True)
    for rows, columns in ((5, 7), (64, 33), (1, 8)):
        x = torch.randn(rows, columns, device=device)
        for got, want in zip(run(x), (x.softmax(-1) @ x.mT, x.sum(0)), strict=True):
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def test_an_input_at_any_address(compiled, device):
    run = compiled(lambda x: x * 2 + 1)
    whole = torch.randn(1001, device=device)
    for start in (0, 1, 3, 16):
        torch.testing.assert_close(run(whole[start:512]), whole[start:512] * 2 + 1)


def test_embedding_and_its_guard(compiled, device):
    table, index = torch.randn(10, 4, device=device), torch.tensor([1, 9, 0, 0], device=device)
    run = compiled(lambda t, i: nn.functional.embedding(i, t) * 2)
    for _ in range(3):
        torch.testing.assert_close(run(table, index), table[index] * 2)


def test_constants_of_the_graph(compiled, device):
    held = torch.arange(12.0, device=device).reshape(3, 4)
    run = compiled(lambda x: x @ held + torch.tensor([1.0, 2, 3, 4], device=device), fallback="eager")
    x = torch.randn(2, 3, device=device)
    torch.testing.assert_close(run(x), x @ held + torch.tensor([1.0, 2, 3, 4], device=device))


class Block(nn.Module):
    """Attention and an MLP, each behind a norm and beside a shortcut."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.project(self.norms[0](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(*parts).transpose(1, 2)
        x = x + self.out(mixed.reshape(batch, length, width))
        return x + self.mlp(self.norms[1](x))


def small_bert():
    from transformers import BertConfig, BertModel

    sizes = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 50}
    config = BertConfig(**sizes, num_hidden_layers=2, max_position_embeddings=16)
    return nn.Sequential(BertModel(config, add_pooling_layer=False), Last())


class Last(nn.Module):
    """Take the hidden states out of a model's answer."""

    def forward(self, answer):
        return answer.last_hidden_state


MODELS = {
    "block": (Block, lambda: torch.randn(2, 12, 32)),
    "convolutions": (
        lambda: nn.Sequential(
            *(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
            nn.Linear(16, 5),
        ),
        lambda: torch.randn(2, 3, 16, 16),
    ),
    "bert": (small_bert, lambda: torch.randint(0, 50, (2, 9))),
}


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("name", MODELS)
def test_model_equals_eager(compiled, device, name):
    build, example = MODELS[name]
    model, x = build().to(device).eval(), example().to(device)
    with torch.no_grad():
        torch.testing.assert_close(compiled(model)(x), model(x), rtol=1e-3, atol=1e-4)


def test_attention_trains_as_in_eager(compiled, device):
    model = Block().to(device)
    other, x = copy.deepcopy(model), torch.randn(2, 12, 32, device=device)
    compiled(model)(x).square().mean().backward()
    other(x).square().mean().backward()
    for (name, got), want in zip(model.named_parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(
            got.grad, want.grad, rtol=1e-3, atol=1e-4, msg=lambda m, n=name: f"{n}: {m}"
        )


def test_training_equals_eager(compiled, device):
    model = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.GELU(), nn.Linear(32, 3)).to(device)
    other = copy.deepcopy(model)
    steps = [
        (m, r, torch.optim.SGD(m.parameters(), 0.1)) for m, r in ((model, compiled(model)), (other, other))
    ]
    for _ in range(4):
        x, y = torch.randn(16, 12, device=device), torch.randint(0, 3, (16,), device=device)
        for _, run, optimizer in steps:
            optimizer.zero_grad()
            nn.functional.cross_entropy(run(x), y).backward()
            optimizer.step()
    for (name, got), want in zip(model.state_dict().items(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_parts_in_torch_between_compiled_parts(compiled, device):
    def function(x):
        return torch.linalg.svdvals(x * 2 + 1).exp().sum() * 3

    x = torch.randn(6, 6, device=device) / 10
    torch.testing.assert_close(compiled(function, fallback="eager")(x), function(x), rtol=1e-4, atol=1e-4)
    assert myjit.stats()["ops_compiled"] > 0
    assert myjit.stats()["ops_fallback"] > 0


def test_an_input_written_in_place(compiled, device):
    def function(x):
        x.mul_(2).add_(1)
        return x.sum()

    x = torch.randn(32, device=device)
    mine = x.clone()
    torch.testing.assert_close(compiled(function)(mine), function(x))
    torch.testing.assert_close(mine, x)


def test_another_device_than_the_target_is_left_to_torch(device):
    if device == "cpu":
        pytest.skip("tensors on the CPU are what the target takes")
    run = torch.compile(lambda x, y: x.sum() + y.sum(), backend="myjit_mlir")
    x, y = torch.randn(8, device=device), torch.randn((), device="cpu")
    with pytest.warns(FallbackWarning, match="on another device"):
        torch.testing.assert_close(run(x, y), x.sum() + y.sum())
