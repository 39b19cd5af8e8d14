"""The cases in which the nearest peers fail their users; none of them may fail here."""

from __future__ import annotations

import threading

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import myjit


@torch.library.custom_op("myjit_tests::doubled_sine", mutates_args=())
def doubled_sine(x: torch.Tensor) -> torch.Tensor:
    """An op that no compiler knows."""
    return 2 * x.sin()


@doubled_sine.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def falling_back(function, **kwargs):
    return torch.compile(function, backend="myjit_mlir", **kwargs)


def same(run, function, *args):
    torch.testing.assert_close(run(*args), function(*args), rtol=1e-4, atol=1e-5)


def test_options_are_read():
    with pytest.raises(Exception, match="Did you mean 'target'"):
        torch.compile(torch.sin, backend="myjit_mlir", options={"tarqet": "cpu"})(torch.ones(2))


def test_modes_are_read():
    with pytest.raises(Exception, match="unknown mode 'fastest'"):
        falling_back(torch.sin, mode="fastest")(torch.ones(2))
    same(falling_back(torch.sin, mode="reduce-overhead"), torch.sin, torch.ones(2))


def test_a_second_input_shape(compiled):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    run = compiled(model)
    for rows in (2, 5, 7, 1):
        same(run, model, torch.randn(rows, 8))


def test_dynamic(compiled):
    def function(x):
        return F.softmax(x @ x.t(), -1).sum(0) * x.shape[0]

    run = compiled(function, dynamic=True)
    for rows in (3, 6, 9):
        same(run, function, torch.randn(rows, 4))


def test_a_changed_integer_argument(compiled):
    def function(x, n):
        return (x * n)[: n + 1].sum() + n

    run = compiled(function)
    for n in (1, 2, 5):
        same(run, function, torch.randn(9), n)


def test_a_changed_float_argument(compiled):
    def function(x, scale):
        return x * scale + scale

    run = compiled(function)
    for scale in (0.5, 1.5, 2.5, 3.5):
        same(run, function, torch.randn(9), scale)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.fft.rfft(x).abs() + 1,
        lambda x: torch.linalg.svd(x)[1] * 2,
        lambda x: torch.ops.myjit_tests.doubled_sine(x.cos()) + 1,
        lambda x: x.cos() if x.sum() > 0 else x.sin(),
        lambda x: x[x > 0].exp().sum(),
        lambda x: torch.nonzero(x > 0).float() + 1,
        lambda x: x.sum().item() + x,
        lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)) + 1,
    ],
    ids=["fft", "svd", "custom-op", "control-flow", "mask", "nonzero", "item", "cond"],
)
def test_what_cannot_be_compiled_is_right_all_the_same(function):
    run = falling_back(function)
    for _ in range(2):
        same(run, function, torch.randn(4, 6))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_custom_op_is_reported(capsys):
    myjit.explain(lambda x: torch.ops.myjit_tests.doubled_sine(x.cos()) + 1, torch.randn(4))
    said = capsys.readouterr().out
    assert "myjit_tests.doubled_sine.default" in said
    assert "2 ops compiled" in said


def test_a_training_step_with_missing_gradients(compiled):
    class TwoHeads(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused, self.frozen = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
            self.frozen.requires_grad_(False)

        def forward(self, x):
            return self.used(self.frozen(x)), self.unused(x)

    model = TwoHeads()
    compiled(model)(torch.randn(3, 4))[0].sum().backward()
    assert model.unused.weight.grad is None or not model.unused.weight.grad.any()
    assert model.frozen.weight.grad is None
    assert model.used.weight.grad is not None


def test_embedding_backward(compiled):
    def gradient(run, weight):
        weight = weight.clone().requires_grad_()
        run(torch.tensor([[1, 2, 2], [0, 5, 1]]), weight).square().sum().backward()
        return weight.grad

    weight = torch.randn(7, 4)
    torch.testing.assert_close(gradient(compiled(F.embedding), weight), gradient(F.embedding, weight))


def test_float64_and_what_comes_after(compiled):
    x = torch.randn(5, 5, dtype=torch.float64)
    torch.testing.assert_close(compiled(lambda x: x @ x + 1)(x), x @ x + 1, rtol=1e-13, atol=1e-13)
    same(compiled(lambda x: x * 2), lambda x: x * 2, torch.randn(4))


def test_uint8_stays_uint8(compiled):
    x = torch.tensor([0, 1, 200, 255], dtype=torch.uint8)
    actual = compiled(lambda x: x + x)(x)
    assert actual.dtype == torch.uint8
    assert torch.equal(actual, x + x)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_complex_addition():
    x = torch.randn(4, dtype=torch.complex64)
    same(falling_back(lambda x: x + x.conj() * 2), lambda x: x + x.conj() * 2, x)


def test_dropout_honours_the_seed(compiled):
    def function(x):
        return F.dropout(x, 0.5) * 2

    def seeded(run):
        torch.manual_seed(5)
        return run(torch.ones(64))

    run = compiled(function)
    first = seeded(run)
    assert torch.equal(seeded(run), first)
    assert torch.equal(seeded(function), first)


def test_weights_are_not_copied_at_each_call(compiled):
    linear = nn.Linear(2048, 2048)
    run = compiled(linear)
    with torch.no_grad():
        for _ in range(3):
            run(torch.randn(1, 2048))
    assert myjit.stats()["bytes_copied"] == 0


def test_calls_from_threads(compiled):
    run = compiled(lambda x: x.exp() + 1)
    x = torch.randn(30)
    run(x)
    results: list[torch.Tensor] = []
    threads = [threading.Thread(target=lambda: results.append(run(x))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    for result in results:
        torch.testing.assert_close(result, x.exp() + 1)


def test_int8_matmul_crashes_neither_the_compiler_nor_the_process(compiled):
    x = torch.randint(-9, 9, (4, 4), dtype=torch.int8)
    assert torch.equal(compiled(lambda x: x @ x)(x), x @ x)


def test_other_ways_to_name_the_backend():
    with torch.compiler.set_stance("default", force_backend="myjit_mlir"):
        same(torch.compile(torch.sin), torch.sin, torch.ones(3))
    assert myjit.stats()["partitions"] == 1


def test_float32_is_not_computed_in_less(compiled):
    a, b = torch.randn(64, 512), torch.randn(512, 64)
    exact = (a.double() @ b.double()).float()
    torch.testing.assert_close(compiled(torch.matmul)(a, b), exact, rtol=1e-4, atol=1e-4)
