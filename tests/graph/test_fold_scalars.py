"""Scalar chains fold where every bit stays the same, and nowhere else."""

from __future__ import annotations

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from myjit.graph.fold_scalars import run

pytestmark = pytest.mark.every_variant

AWKWARD = [0.0, -0.0, 1.0, -1.5, 1e-45, 1e-38, 3e38, 1.7e38, float("inf"), -float("inf"), float("nan"), 0.1]


def folded(function, x: torch.Tensor) -> torch.fx.GraphModule:
    gm = make_fx(function, tracing_mode="fake")(x)
    names = {n.name: n.meta.get("val") for n in gm.graph.nodes}
    run(gm)
    gm.graph.lint()
    gm.recompile()
    assert all(n.op == "output" or n.meta.get("val") is names[n.name] for n in gm.graph.nodes)
    return gm


def ops(gm: torch.fx.GraphModule) -> list[tuple[str, object]]:
    calls = gm.graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor, sort=True)
    others = [n for n in gm.graph.nodes if n.op == "call_function" and n not in calls]
    return [(str(n.target), n.args[1] if len(n.args) > 1 else None) for n in (*calls, *others)]


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    kind = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return a.dtype == b.dtype and torch.equal(a.view(kind), b.view(kind))


FOLDED = {
    "x*2*3": (lambda x: x * 2 * 3, [("aten.mul.Tensor", 6.0)]),
    "x*2*4*5": (lambda x: x * 2 * 4 * 5, [("aten.mul.Tensor", 40.0)]),
    "-2*1.5": (lambda x: x * -2 * 1.5, [("aten.mul.Tensor", -3.0)]),
}
KEPT = {
    "not a power of two first": (lambda x: x * 3 * 2, 2),
    "might overflow between": (lambda x: x * 4 * 0.5, 2),
    "might underflow between": (lambda x: x * 0.5 * 2, 2),
    "sums of floats round": (lambda x: x + 1 + 2, 2),
    "minus zero": (lambda x: (x + 0).sqrt(), 2),
    "a result must not be its input": (lambda x: x * 1, 1),
    "nor a view of it": (lambda x: (x * 1).view(-1), 2),
}


@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_folded_floats_keep_every_bit(name: str, dtype: torch.dtype):
    function, expected = FOLDED[name]
    x = torch.tensor(AWKWARD, dtype=dtype)
    gm = folded(function, x)
    assert ops(gm) == expected
    assert same_bits(gm(x), function(x))


@pytest.mark.parametrize("name", KEPT)
def test_what_might_differ_is_kept(name: str):
    function, count = KEPT[name]
    assert len(ops(folded(function, torch.tensor(AWKWARD)))) == count


@pytest.mark.parametrize(
    "function",
    [lambda x: (x * 1).exp(), lambda x: (x / 1).exp(), lambda x: (x - 0).exp(), lambda x: (x + -0.0).exp()],
)
def test_identities_go(function):
    x = torch.tensor(AWKWARD)
    gm = folded(function, x)
    assert [name for name, _ in ops(gm)] == ["aten.exp.default"]
    assert same_bits(gm(x), function(x))


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64])
def test_integers_wrap_as_before(dtype: torch.dtype):
    x = torch.arange(-100, 100).to(dtype)
    gm = folded(lambda x: (x * 3 * 5 + 7 + 9) * 1 - x, x)
    assert len(ops(gm)) == 3
    assert torch.equal(gm(x), (x * 3 * 5 + 7 + 9) * 1 - x)


def test_an_integer_product_that_does_not_fit_is_kept():
    x = torch.arange(4, dtype=torch.int8)
    assert len(ops(folded(lambda x: x * 100 * 100, x))) == 2


def test_promotion_is_kept():
    x = torch.arange(4)
    gm = folded(lambda x: (x * 2.0 * 3) + x.bool() * 1, x)
    expected = (x * 2.0 * 3) + x.bool() * 1
    assert gm(x).dtype == expected.dtype
    assert torch.equal(gm(x), expected)


def test_an_inner_result_that_is_used_stays():
    x = torch.tensor(AWKWARD)
    gm = folded(lambda x: ((y := x * 2) * 3, y), x)
    assert [number for _, number in ops(gm)] == [2, 6.0]


def test_both_run_from_a_pipeline(compiled):
    import myjit
    from myjit.passes.base import FxPass
    from myjit.passes.pipeline import Stage

    simplify = Stage("simplify", "fx", (FxPass("fold-scalars"), FxPass("remove-dead-code")))
    pipeline = myjit.pipelines.get("cpu").after("decompose", simplify)
    x = torch.randn(4)
    torch.testing.assert_close(compiled(lambda x: (x * 2 * 3).sin(), pipeline=pipeline)(x), (x * 6).sin())
