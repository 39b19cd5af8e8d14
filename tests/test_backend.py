"""The main job on small programs: right results, fallback where needed, the process alive."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import myjit
from myjit.errors import FallbackWarning
from myjit.pipelines import PIPELINES


def check(compiled: Callable[..., Any], function: Callable[..., Any], *args: Any) -> None:
    torch.testing.assert_close(compiled(*args), function(*args), rtol=1e-4, atol=1e-4)


def test_the_backend_is_listed_without_an_import():
    assert "myjit_mlir" in torch._dynamo.list_backends(exclude_tags=None)


def test_inference(compiled):
    def function(x, y):
        return torch.relu(x @ y) + 1

    with torch.no_grad():
        check(compiled(function), function, torch.randn(4, 8), torch.randn(8, 4))
    stats = myjit.stats()
    assert stats["partitions"] == 1
    assert stats["calls"] == 1
    assert stats["ops_fallback"] == 0
    assert stats["bytes_copied"] == 0


def test_training_gives_eager_gradients(compiled):
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    x = torch.randn(4, 8)
    compiled(model)(x).square().sum().backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).square().sum().backward()
    for actual, parameter in zip(gradients, model.parameters(), strict=True):
        torch.testing.assert_close(actual, parameter.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.fft.fft(x).real + torch.relu(x) * 2,
        lambda x: torch.linalg.svdvals(x).sum() + torch.relu(x) * 2,
        lambda x: x.kthvalue(2)[0] + 1,
    ],
    ids=["fft", "svd", "kthvalue"],
)
def test_what_cannot_be_compiled_runs_in_torch_with_a_warning(function):
    compiled = torch.compile(function, backend="myjit_mlir")
    x = torch.randn(4, 8)
    with pytest.warns(FallbackWarning, match=r"run in torch: aten\..*test_backend.py"):
        check(compiled, function, x)
    assert myjit.stats()["ops_compiled"] > 0


def test_a_crash_of_the_compiler_costs_one_op():
    def function(x):  # torch-mlir's lowering of index_put divides by the number of index dimensions, zero
        return x.put(torch.tensor(1), torch.tensor(9.0)) + 1

    pipeline = PIPELINES.get("cpu").without("one-dimension")  # which gives them one
    compiled = torch.compile(function, backend="myjit_mlir", options={"pipeline": pipeline})
    with pytest.warns(FallbackWarning, match=r"put.*crashed"):
        check(compiled, function, torch.zeros(4, 4))
    assert myjit.stats()["fallback_reasons"] == {"crash": 1}


def test_fallback_error_names_the_op_and_the_line(compiled):
    with pytest.raises(Exception, match=r"aten\._linalg_svd.*test_backend.py:\d+"):
        compiled(lambda x: torch.linalg.svdvals(x) + 1)(torch.randn(4, 4))


def test_random_numbers_honour_the_seed():
    def function(x):
        return torch.nn.functional.dropout(x * 2, 0.5) + torch.rand(4)

    compiled = torch.compile(function, backend="myjit_mlir")
    x = torch.ones(3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FallbackWarning)
        torch.manual_seed(7)
        first = compiled(x)
    torch.manual_seed(7)
    torch.testing.assert_close(compiled(x), first)
    assert not torch.equal(compiled(x), first)


def test_dynamic_shapes(compiled):
    def function(x):
        return torch.softmax(x.view(x.shape[0] * 2, -1), -1) + x.shape[0]

    run = compiled(function, dynamic=True)
    for rows in (4, 6, 9):
        check(run, function, torch.randn(rows, 8))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.uint8, torch.int64])
def test_data_types_survive(compiled, dtype):
    def function(x):
        return x * x + x  # uint8 times a number crashes torch-mlir: it falls back

    x = torch.randint(0, 9, (4, 8)).to(dtype)
    actual = compiled(function)(x)
    assert actual.dtype == dtype
    assert torch.equal(actual, function(x))


def test_strides_of_inputs_and_outputs(compiled):
    def function(x):
        return x.t() * 2, x + 1

    x = torch.randn(8, 4).t()
    for actual, expected in zip(compiled(function)(x), function(x), strict=True):
        assert torch.equal(actual, expected)
        assert actual.stride() == expected.stride()
    assert myjit.stats()["bytes_copied"] == 0


def test_mutated_inputs_and_none(compiled):
    def function(x, nothing):
        x.add_(1)
        return x * 2, None, nothing

    x, y = torch.zeros(4), torch.zeros(4)
    actual, expected = compiled(function)(x, None), function(y, None)
    assert torch.equal(x, y)
    assert torch.equal(actual[0], expected[0])
    assert actual[1] is actual[2] is None


def test_verify_finds_nothing_in_right_code(compiled):
    check(compiled(lambda x: x.exp() + 1, verify=True), lambda x: x.exp() + 1, torch.randn(9))


def test_explain_reports_reasons(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        report = myjit.explain(lambda x: torch.linalg.svdvals(x).sum() + torch.relu(x), torch.randn(4, 4))
    text = capsys.readouterr().out
    assert "aten._linalg_svd.default" in text
    assert "no lowering" in text
    assert 0 < report.coverage < 1


def test_compiled_autograd_of_a_graph_that_runs_in_torch():
    x = torch.randn(3, requires_grad=True)
    backend = torch.compile(backend="myjit_mlir")
    level = torch.autograd.forward_ad.dual_level()
    warned = pytest.warns(FallbackWarning, match="forward-mode")
    with torch._dynamo.compiled_autograd._enable(backend), level, warned:
        x.sin().sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, x.detach().cos())
