"""What torch promises beyond values: mutation, aliases, strides, random numbers, dtypes, control flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import myjit
from myjit.errors import FallbackWarning


def same(actual: Any, expected: Any) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)


def double_in_place(x: torch.Tensor) -> torch.Tensor:
    x.mul_(2)
    return x + 1


def row_in_place(x: torch.Tensor) -> torch.Tensor:
    x[1].add_(3)
    x.t()[0].mul_(2)
    return x.sum()


@pytest.mark.parametrize("function", [double_in_place, row_in_place])
def test_inputs_are_mutated(compiled, function):
    run = compiled(function)
    for _ in range(2):
        x = torch.randn(4, 4)
        mine = x.clone()
        same(run(mine), function(x))
        same(mine, x)


def test_mutation_is_seen_through_the_base(compiled):
    base = torch.randn(4, 4)
    expected = base.clone()
    run = compiled(double_in_place)
    same(run(base[1:3, ::2]), double_in_place(expected[1:3, ::2]))
    same(base, expected)


def test_output_aliases_input(compiled):
    x = torch.randn(3, 4)
    view, computed = compiled(lambda x: (x.t(), x + 1))(x)
    x.fill_(7)
    same(view, x.t())
    assert view.data_ptr() == x.data_ptr()
    assert computed.data_ptr() != x.data_ptr()


@pytest.mark.parametrize("dynamic", [False, True])
def test_outputs_alias_each_other(compiled, dynamic):
    run = compiled(lambda x: ((y := x * 2), y.view(-1), y), dynamic=dynamic)
    y, view, again = run(torch.randn(3, 4))
    y.fill_(5)
    same(view, torch.full((12,), 5.0))
    same(again, y)


def test_outputs_alias_each_other_through_a_squeeze(compiled):
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x * 2
        return y[0:1], y[0:1].squeeze()

    row, number = compiled(function)(torch.ones(3))
    row.fill_(7)
    same(number, torch.tensor(7.0))


def test_input_given_back_is_the_same_tensor(compiled):
    x = torch.randn(3)
    given, total = compiled(lambda x: (x, x.sum()))(x)
    assert given is x or given.data_ptr() == x.data_ptr()
    same(total, x.sum())


def test_one_tensor_as_two_inputs(compiled):
    x = torch.randn(4, 4)
    run = compiled(lambda a, b: a @ b.t() - a)
    same(run(x, x), x @ x.t() - x)
    y = torch.randn(4, 4)
    same(run(x, y), x @ y.t() - x)


def test_one_tensor_as_two_mutated_inputs(compiled):
    def function(a, b):
        a.add_(1)
        return b * 2

    x, y = torch.ones(4), torch.ones(4)
    same(compiled(function)(x, x), function(y, y))
    same(x, y)


LAYOUTS: dict[str, Callable[[], torch.Tensor]] = {
    "transposed": lambda: torch.randn(6, 4).t(),
    "sliced": lambda: torch.randn(8, 12)[::2, 1:7],
    "expanded": lambda: torch.randn(4, 1).expand(4, 6),
    "overlapping": lambda: torch.randn(9).as_strided((4, 6), (1, 1)),
    "offset": lambda: torch.randn(25)[1:].view(4, 6),
    "permuted": lambda: torch.randn(6, 2, 4).permute(2, 0, 1)[..., 0],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_inputs_of_any_layout(compiled, name):
    x = LAYOUTS[name]()
    function = lambda x: (x * 2, x @ x.t(), x.sum(0))  # noqa: E731
    same(compiled(function)(x), function(x))


def test_channels_last_in_and_out(compiled):
    model = nn.Conv2d(3, 8, 3, padding=1).eval()
    model.weight.data = model.weight.data.contiguous(memory_format=torch.channels_last)
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    with torch.no_grad():
        actual, expected = compiled(model)(x), model(x)
    same(actual, expected)
    assert actual.stride() == expected.stride()


def test_strides_with_gaps():
    def function(x: torch.Tensor) -> torch.Tensor:
        result = torch.empty_strided((4, 2), (8, 2))
        result[:] = x.exp()
        return result

    run = torch.compile(function, backend="myjit_mlir")
    x = torch.randn(4, 2)
    with pytest.warns(FallbackWarning):
        assert run(x).stride() == (8, 2)
    same(run(x), function(x))


def test_none_in_and_out(compiled):
    function = lambda x, mask: (None, x * 2 if mask is None else x * mask, mask)  # noqa: E731
    x = torch.randn(3)
    same(compiled(function)(x, None)[1], x * 2)
    same(compiled(function)(x, x), (None, x * x, x))


def test_graph_without_inputs(compiled):
    function = lambda: torch.arange(6).view(2, 3) * 2  # noqa: E731
    same(compiled(function)(), function())


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
        self.embedding = nn.Embedding(10, 8)
        self.head = nn.Linear(8, 10, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        self.seen += 1
        return self.head(self.embedding(tokens)) * self.seen


def test_buffers_and_tied_weights(compiled):
    model, tokens = Counting(), torch.arange(6).view(2, 3)
    run = compiled(model)
    for step in range(1, 4):
        actual = run(tokens)
        assert model.seen.item() == step
        same(actual, F.linear(F.embedding(tokens, model.head.weight), model.head.weight) * step)


def test_autocast_computes_in_bfloat16(compiled):
    model, x = nn.Linear(8, 8), torch.randn(4, 8)

    def function(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(x)

    actual, expected = compiled(function)(x), function(x)
    assert actual.dtype == expected.dtype == torch.bfloat16
    torch.testing.assert_close(actual, expected, rtol=2e-2, atol=2e-2)


RANDOM: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "dropout": lambda x: F.dropout(x * 2, 0.5) + 1,
    "rand": lambda x: torch.rand_like(x) + x,
    "randn": lambda x: torch.randn(4, 4) @ x,
    "bernoulli": lambda x: torch.bernoulli(torch.sigmoid(x)) * x,
    "order": lambda x: torch.rand(4, 4) - torch.randn(4, 4) * F.dropout(x, 0.3),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_are_eagers(compiled, name):
    x = torch.randn(4, 4)
    run = compiled(RANDOM[name])
    for seed in (1, 2):
        torch.manual_seed(seed)
        expected = RANDOM[name](x)
        torch.manual_seed(seed)
        same(run(x), expected)


def _mask(kind: str) -> dict[str, Any]:
    return {
        "plain": {},
        "causal": {"is_causal": True},
        "float": {"attn_mask": torch.randn(6, 6)},
        "bool": {"attn_mask": torch.rand(2, 1, 6, 6) > 0.2},
        "scale": {"scale": 0.3},
        "grouped": {"enable_gqa": True},
    }[kind]


@pytest.mark.parametrize("kind", ["plain", "causal", "float", "bool", "scale", "grouped"])
def test_attention(compiled, kind):
    settings = _mask(kind)
    heads = 2 if kind == "grouped" else 4
    q, k, v = torch.randn(2, 4, 6, 8), torch.randn(2, heads, 6, 8), torch.randn(2, heads, 6, 8)
    function = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **settings)  # noqa: E731
    same(compiled(function)(q, k, v), function(q, k, v))


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "u8", "bool"])
def test_dtypes_stay(compiled, dtype):
    names = {"f": "float", "i": "int", "u": "uint", "bf": "bfloat"}
    kind = dtype.rstrip("0123456789")
    full = getattr(torch, names.get(kind, kind) + dtype[len(kind) :])
    x = (torch.arange(12) * 21 % 251).to(full).view(3, 4)
    function = lambda x: (x + x, x.t().contiguous(), torch.where(x > 1, x, x + x))  # noqa: E731
    same(compiled(function)(x), function(x))


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn], ids=str)
def test_other_dtypes_run_in_torch(dtype):
    x = torch.arange(6).to(torch.float32)
    function = lambda x: (x * 2).to(dtype).to(torch.float32)  # noqa: E731
    run = torch.compile(function, backend="myjit_mlir")
    with pytest.warns(FallbackWarning):
        same(run(x), function(x))


def test_conjugate_and_negative_views():
    z = torch.randn(4, dtype=torch.complex64)
    run = torch.compile(lambda x: x * 2, backend="myjit_mlir")
    same(run(z.conj().imag), z.conj().imag * 2)
    same(torch.compile(lambda z: z + z.conj(), backend="myjit_mlir")(z), z + z.conj())


@torch.library.custom_op("myjit_tests::triple", mutates_args=())
def triple(x: torch.Tensor) -> torch.Tensor:
    return x * 3


@triple.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def _cond(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x + 1,))


def _while(x: torch.Tensor) -> torch.Tensor:
    return torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.zeros(()), x))[1]


def _checkpoint(x: torch.Tensor) -> torch.Tensor:
    from torch.utils.checkpoint import checkpoint

    return checkpoint(lambda y: torch.relu(y) @ y, x, use_reentrant=False) + 1


def _item(x: torch.Tensor) -> torch.Tensor:
    return x + 1 if x.sum().item() > 0 else x - 1


FALLBACK: dict[str, Callable[[torch.Tensor], Any]] = {
    "fft": lambda x: torch.fft.rfft(x * 2).abs() + 1,
    "svd": lambda x: torch.linalg.svdvals(x * 2) + 1,
    "custom": lambda x: triple(x + 1) + 1,
    "nonzero": lambda x: torch.nonzero(x > 0) + 1,
    "masked_select": lambda x: x[x > 0] * 2,
    "item": _item,
    "int8_matmul": lambda x: torch._int_mm((x * 9).to(torch.int8), (x * 9).to(torch.int8)) + 1,
    "int8_mm": lambda x: (x * 9).to(torch.int8) @ (x * 9).to(torch.int8),
    "sparse": lambda x: torch.sparse.mm((x * 2).to_sparse(), x) + 1,
    "complex": lambda x: torch.view_as_real(torch.view_as_complex(x.view(32, 8, 2) * 2) * 1j),
    "cond": _cond,
    "while": _while,
    "checkpoint": _checkpoint,
    "vmap": torch.vmap(lambda r: r.softmax(0) @ r),
    "grad": torch.func.grad(lambda x: (x.sin() ** 2).sum()),
}


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning", "ignore::UserWarning")
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", FALLBACK)
def test_what_is_not_compiled_is_right(name, sign):
    x = (torch.randn(32, 16) if name == "complex" else torch.randn(32, 32)).abs() * sign
    run = torch.compile(FALLBACK[name], backend="myjit_mlir")
    for value in (x, x + 0.01):
        same(run(value), FALLBACK[name](value))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_flex_attention():
    from torch.nn.attention.flex_attention import flex_attention

    q = torch.randn(1, 2, 16, 8)
    with torch.no_grad():
        run = torch.compile(lambda q: flex_attention(q * 2, q, q) + 1, backend="myjit_mlir")
        same(run(q), flex_attention(q * 2, q, q) + 1)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_grad_modes(compiled, mode):
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    run = compiled(model)
    with mode():
        actual, expected = run(x), model(x)
    same(actual, expected)
    assert actual.requires_grad == expected.requires_grad
    assert actual.is_inference() == expected.is_inference()


def test_fullgraph_and_second_compile_with_other_options():
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    first = torch.compile(model, backend="myjit_mlir", fullgraph=True)
    second = torch.compile(model, backend="myjit_mlir", options={"verify": True}, fullgraph=True)
    same(first(x), model(x))
    same(second(x), model(x))


def test_forced_by_stance():
    run, x = torch.compile(lambda x: x * 2 + 1), torch.randn(3)
    with torch.compiler.set_stance("default", force_backend="myjit_mlir"):
        same(run(x), x * 2 + 1)
    assert myjit.stats()["ops_compiled"] > 0
