"""The decomposition table: base, additions, and the ops that stay whole whatever the others say."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext

import pytest
import torch

from myjit.errors import FallbackWarning, RegistryError
from myjit.frontend.decompose import DECOMPOSITIONS, decomposition_table
from myjit.passes.base import Decompositions

SOFTMAX = torch.ops.aten._softmax.default


def test_an_addition_lies_over_the_base():
    plain = decomposition_table(Decompositions(base="torch-mlir"))
    ours = decomposition_table(Decompositions(base="torch-mlir", add=("softmax",)))
    assert plain.get(SOFTMAX) is not ours[SOFTMAX]
    assert plain.keys() <= ours.keys()


def test_what_is_kept_whole_is_in_no_source():
    table = decomposition_table(Decompositions(base="core-aten", add=("softmax",), keep=("aten._softmax",)))
    assert SOFTMAX not in table
    assert torch.ops.aten._log_softmax.default in table


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (Decompositions(base="torch-mlr"), "one of torch-mlir, core-aten, none"),
        (Decompositions(add=("softmx",)), "softmax"),
        (Decompositions(keep=("aten.softmx",)), "aten.softmx"),
    ],
)
def test_an_unknown_name_is_refused(declared: Decompositions, message: str):
    with pytest.raises(RegistryError, match=message):
        decomposition_table(declared)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_an_op_stays_whole_where_torch_decomposition_fails(dims):
    pool = getattr(torch.nn.functional, f"adaptive_avg_pool{dims}d")
    x = torch.randn(2, 3, *[6] * dims)
    run = torch.compile(lambda x: pool(x, 0), backend="myjit_mlir")
    torch.testing.assert_close(run(x), pool(x, 0))


def test_an_added_decomposition_that_fails_is_named_and_leaves_the_op_whole(monkeypatch):
    def fails(x):
        raise AttributeError("no such thing")

    aten = torch.ops.aten
    monkeypatch.setitem(DECOMPOSITIONS.get("hyperbolics"), aten.sinh.default, fails)
    monkeypatch.setattr(
        "myjit.backend.decomposition_table", decomposition_table.__wrapped__
    )  # without its cache
    x = torch.randn(5)
    run = torch.compile(lambda x: x.sinh() + 1, backend="myjit_mlir")
    with pytest.warns(
        FallbackWarning, match=r"'hyperbolics' failed .* no such thing at .*test_decompose.py:\d+"
    ):
        torch.testing.assert_close(run(x), x.sinh() + 1)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("gradients", [False, True])
def test_an_added_decomposition_may_make_constants(compiled, monkeypatch, fails, gradients):
    """`torch.tensor` leaves a `detach_` in the graph, also where the decomposition then fails."""

    def hyperbolic(x):
        doubled = (x.exp() - (-x).exp()) * torch.tensor([1.0, 1.0, 1.0])
        if fails:
            raise ValueError("only a test")
        return doubled * torch.tensor(0.5)

    aten = torch.ops.aten
    monkeypatch.setitem(DECOMPOSITIONS.get("hyperbolics"), aten.sinh.default, hyperbolic)
    monkeypatch.setattr("myjit.backend.decomposition_table", decomposition_table.__wrapped__)
    x = torch.randn(2, 3, requires_grad=gradients)
    run = compiled(lambda x: x.sinh() + 1)
    with pytest.warns(FallbackWarning, match="only a test") if fails else nullcontext():
        torch.testing.assert_close(run(x), x.sinh() + 1)


def test_the_table_needs_no_inductor_loaded_before():
    program = (
        "from myjit.pipelines.cpu import PIPELINE\n"
        "from myjit.frontend.decompose import decomposition_table\n"
        "print(len(decomposition_table(PIPELINE.decompositions())))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 100


def test_an_op_that_is_asked_how_its_results_lie_is_not_decomposed_in_turn(monkeypatch):
    """Exporting an LSTM asked some 300 times for every product, each from within the last."""
    calls = []

    def product(x, y):
        calls.append(1)
        return (x.unsqueeze(-1) * y).sum(-2)

    aten = torch.ops.aten
    monkeypatch.setitem(DECOMPOSITIONS.get("hyperbolics"), aten.matmul.default, product)
    table = decomposition_table.__wrapped__(Decompositions(base="none", add=("hyperbolics",)))
    layer = torch.nn.Linear(3, 4).eval()
    permuted = torch.randn(5, 2, 3).transpose(0, 1)
    program = torch.export.export(layer, (permuted,)).run_decompositions(dict(table))
    # Torch traces what it exports twice: for what it aliases, and for the graph.
    assert 0 < len(calls) <= 2
    torch.testing.assert_close(program.module()(permuted), layer(permuted))
