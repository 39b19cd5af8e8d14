"""Where rejected parts run, and what the compiler process's death costs."""

from __future__ import annotations

import os
import signal

import pytest
import torch
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

import myjit
from myjit.errors import ContractError, FallbackWarning
from myjit.passes.contract import Contract
from myjit.worker_pool import POOL


def mixed(x):
    return torch.linalg.svdvals(x.sin()).cos() + 1


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("fallback", ["eager", "inductor"])
def test_fallback(fallback):
    x = torch.randn(4, 4)
    run = torch.compile(mixed, backend="myjit_mlir", options={"fallback": fallback})
    torch.testing.assert_close(run(x), mixed(x))
    assert myjit.stats()["ops_compiled"] >= 2


def test_inductor_takes_every_part_that_falls_back(caplog):
    def function(x, v):
        a, b = torch.tanh(x), torch.exp(v)
        return (torch.tanh(a.sin()) * a).sum() + (b.cos() * b).sum()

    options = {"fallback": "inductor", "torch_executed_ops": ("aten.tanh", "aten.exp")}
    run = torch.compile(function, backend="myjit_mlir", options=options)
    tensors = [torch.randn(4, 5, requires_grad=True), torch.randn(2, 3, 4, requires_grad=True)]
    expected = torch.autograd.grad(function(*tensors), tensors)
    torch.testing.assert_close(torch.autograd.grad(run(*tensors), tensors), expected)
    assert "Inductor refuses" not in caplog.text
    assert myjit.stats()["calls"] > 0


def test_a_time_limit_costs_the_part_and_not_the_program():
    x = torch.randn(4)
    run = torch.compile(lambda x: x.sin() + 1, backend="myjit_mlir", options={"compile_timeout": 0.0})
    with pytest.warns(FallbackWarning, match="took longer than 0 s"):
        torch.testing.assert_close(run(x), x.sin() + 1)
    torch._dynamo.reset()
    myjit.reset()
    again = torch.compile(lambda x: x.cos() + 1, backend="myjit_mlir", options={"fallback": "error"})
    torch.testing.assert_close(again(x), x.cos() + 1)


def test_a_compiler_process_killed_from_outside_is_replaced(compiled):
    x = torch.randn(4)
    compiled(lambda x: x + 1)(x)
    assert POOL.pids()
    for pid in POOL.pids():
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # on a busy machine it goes on for a while
    torch.testing.assert_close(compiled(lambda x: x * 3)(x), x * 3)


def test_ops_listed_for_torch_run_there_without_a_warning(recwarn):
    x = torch.randn(4)
    options = {"torch_executed_ops": ["aten.sin"], "fallback": "error"}
    run = torch.compile(lambda x: x.sin() + x.cos(), backend="myjit_mlir", options=options)
    torch.testing.assert_close(run(x), x.sin() + x.cos())
    assert myjit.stats()["by_design_reasons"] == {"requested": 1}
    assert not [w for w in recwarn if issubclass(w.category, FallbackWarning)]


def test_ops_that_would_be_decomposed_run_whole_in_torch_where_listed(compiled):
    x = torch.randn(4)
    run = compiled(lambda x: torch.nn.functional.elu(x.tan()), torch_executed_ops=["aten.elu"])
    torch.testing.assert_close(run(x), torch.nn.functional.elu(x.tan()))
    assert myjit.stats()["by_design_reasons"] == {"requested": 1}


def test_small_partitions_run_in_torch():
    x = torch.randn(4)
    run = torch.compile(lambda x: x.sin() + 1, backend="myjit_mlir", options={"min_partition_ops": 3})
    torch.testing.assert_close(run(x), x.sin() + 1)
    assert myjit.stats()["by_design_reasons"] == {"small": 2}


def test_recompiles_are_counted(compiled):
    run = compiled(lambda x, n: x * n, dynamic=False)
    for n in (1, 2, 2, 3):
        run(torch.ones(2), n)
    assert myjit.stats()["recompiles"] == 2


def test_explain_counts_recompiles(capsys):
    def twice(x):
        return _inner(x, 1) + _inner(x, 2)

    report = myjit.explain(twice, torch.ones(3))
    assert report.recompiles == 1
    assert "1 recompiles" in capsys.readouterr().out


@torch._dynamo.disable(recursive=False)
def _inner(x, n):
    return torch.compile(_scaled, backend="myjit_mlir", dynamic=False)(x, n)


def _scaled(x, n):
    return x * n


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_what_the_importer_gets_wrong_falls_back():
    def function(x):
        return torch.as_strided_copy(x * 2, (2, 2), (1, 2))

    x = torch.randn(5)
    actual = torch.compile(function, backend="myjit_mlir", dynamic=True)(x)
    torch.testing.assert_close(actual, function(x))
    assert "import" in myjit.stats()["fallback_reasons"]


def test_a_flag_that_iree_does_not_know_is_the_users_mistake_and_no_fallback():
    run = torch.compile(torch.cos, backend="myjit_mlir", options={"iree_flags": ("--iree-no-such-flag",)})
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=r"OptionsError.*--iree-no-such-flag"):
        run(torch.ones(2))


def _raising(error):
    def fails(*_, **__):
        raise error

    return fails


def test_an_error_of_ours_costs_the_graph_and_not_the_program(monkeypatch):
    monkeypatch.setattr("myjit.compile.start", _raising(ZeroDivisionError("not meant")))
    x = torch.randn(4)
    run = torch.compile(lambda x: x.sin() + 1, backend="myjit_mlir")
    with pytest.warns(FallbackWarning, match="an error of myjit's own .ZeroDivisionError: not meant"):
        torch.testing.assert_close(run(x), x.sin() + 1)
    torch._dynamo.reset()
    strict = torch.compile(lambda x: x.sin() + 1, backend="myjit_mlir", options={"fallback": "error"})
    with pytest.raises(Exception, match="not meant"):
        strict(x)


@pytest.mark.parametrize(
    "where", ["frontend.rewrite._run", "compile.rejected_nodes", "compile.place_as_measured"]
)
def test_an_error_of_ours_before_anything_is_compiled_costs_no_program(monkeypatch, where):
    monkeypatch.setattr(f"myjit.{where}", _raising(KeyError("not meant")))
    x = torch.randn(4, requires_grad=True)
    expected = x.detach().clone().requires_grad_()
    run = torch.compile(lambda x: (x.sin() * x, x.sin().view(2, 2)), backend="myjit_mlir")
    with pytest.warns(FallbackWarning, match="an error of myjit's own .KeyError: 'not meant'"):
        first, second = run(x)
        (first.sum() + second.prod()).backward()
    ((expected.sin() * expected).sum() + expected.sin().prod()).backward()
    torch.testing.assert_close(x.grad, expected.grad)
    torch._dynamo.reset()
    strict = torch.compile(lambda x: x.sin() + 1, backend="myjit_mlir", options={"fallback": "error"})
    with pytest.raises(Exception, match="not meant"):
        strict(x)


def test_any_error_while_a_graph_is_traced_costs_no_program(monkeypatch):
    monkeypatch.setattr("myjit.backend.aot_module_simplified", _raising(KeyError("not meant")))
    x = torch.randn(4)
    run = torch.compile(lambda x: x.sin() + 1, backend="myjit_mlir")
    with pytest.warns(FallbackWarning, match="AOTAutograd failed .KeyError: 'not meant'"):
        torch.testing.assert_close(run(x), x.sin() + 1)


def other_words(x, words):
    x.add_(1)
    return x * 2, words * 2


def test_graphs_that_torch_cannot_trace_run_in_torch():
    expected, actual = torch.arange(4.0), torch.arange(4.0)
    run = torch.compile(other_words, backend="myjit_mlir")
    with pytest.warns(FallbackWarning, match="AOTAutograd failed .*views with different dtypes"):
        results = run(actual, actual.view(torch.int32))
    torch.testing.assert_close(results, other_words(expected, expected.view(torch.int32)))
    torch.testing.assert_close(actual, expected)


def test_graphs_that_torch_cannot_trace_are_errors_where_fallback_is():
    run = torch.compile(other_words, backend="myjit_mlir", options={"fallback": "error"})
    x = torch.arange(4.0)
    with pytest.raises(Exception, match="views with different dtypes"):
        run(x, x.view(torch.int32))


@pytest.mark.parametrize("called_before", [False, True])
def test_tangents_of_forward_mode_differentiation_are_kept(called_before):
    x, direction = torch.randn(2, 4)
    run = torch.compile(lambda x: x.sin() * 2, backend="myjit_mlir")
    if called_before:
        run(x)
    with forward_ad.dual_level(), pytest.warns(FallbackWarning, match="tangents"):
        result = forward_ad.unpack_dual(run(forward_ad.make_dual(x, direction)))
    torch.testing.assert_close(result.tangent, x.cos() * 2 * direction)
    compiled_calls = myjit.stats()["calls"]
    torch.testing.assert_close(run(x), x.sin() * 2)
    assert myjit.stats()["calls"] == compiled_calls + 1


def test_tangents_that_would_be_lost_are_errors_where_fallback_is(compiled):
    x = torch.randn(4)
    with forward_ad.dual_level(), pytest.raises(Exception, match="would lose the tangents"):
        compiled(lambda x: x.sin())(forward_ad.make_dual(x, x))


def test_the_error_of_a_strict_compile_tells_what_refused():
    contract = Contract(dialects=("func",))
    pipeline = myjit.pipelines.get("cpu").after("math", myjit.Stage("mine", "linalg", (), contract))
    options = {"pipeline": pipeline, "fallback": "error", "cache": False}
    with pytest.raises(Exception, match="not compiled") as caught:
        torch.compile(lambda x: x * 3, backend="myjit_mlir", options=options)(torch.ones(4))
    error = getattr(caught.value, "inner_exception", caught.value)
    assert isinstance(error.__cause__, ContractError)
    assert error.diagnostics == error.__cause__.diagnostics
    assert "'mine'" in str(error.__cause__)


def test_only_the_random_numbers_of_a_checkpoint_run_in_torch(recwarn):
    layers = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.3))
    run = torch.compile(lambda x: checkpoint(layers, x, use_reentrant=False).sum(), backend="myjit_mlir")
    run(torch.randn(4, 8)).backward()
    assert layers[0].weight.grad is not None
    assert not [w for w in recwarn if "an error of myjit's own" in str(w.message)]
    assert myjit.stats()["ops_compiled"] > 15
