"""What placement by cost compiles, and that graphs traced whole are decomposed only where they compile."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import myjit
from myjit.frontend.inline import decompose_nodes
from myjit.frontend.nodes import op_name
from myjit.frontend.placement import Time, compiled_time, torch_time
from myjit.targets.base import Costs
from myjit.targets.cpu import CpuTarget
from myjit.targets.cuda import TARGET

CHEAP = Costs(
    torch_op=5.0,
    torch_view=1.0,
    beside_view=1.0,
    call=0.0,
    kernel=0.0,
    product=0.0,
    bandwidth=1e6,
    pointwise=1e6,
    rows=1e6,
)
DEAR = dataclasses.replace(CHEAP, call=1e6)
WIDE = dataclasses.replace(
    CHEAP, gaining=("aten.addmm", "aten.native_layer_norm", "aten._softmax", "aten.mean.dim")
)
aten = torch.ops.aten


class Block(nn.Module):
    """A product, a norm and pointwise work."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.linear = nn.Linear(16, 16)

    def forward(self, x):
        y = nn.functional.gelu(self.linear(self.norm(x))) * 2
        return nn.functional.dropout(y.sigmoid() + x, 0.5, self.training).softmax(-1)


class Ops(TorchDispatchMode):
    """Collects the names of the ops that run."""

    def __init__(self) -> None:
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        self.names.add(str(op))
        return op(*args, **(kwargs or {}))


def run_with(monkeypatch, costs, model, *, dynamic=None, **options):
    monkeypatch.setattr(CpuTarget, "costs", costs)
    settings = {"placement": "auto", "fallback": "error", **options}
    return torch.compile(model, backend="myjit_mlir", options=settings, dynamic=dynamic)


def test_pointwise_work_is_compiled_and_the_rest_stays_whole(monkeypatch):
    model, x = Block().eval(), torch.randn(8, 16)
    run = run_with(monkeypatch, CHEAP, model)
    torch.testing.assert_close(run(x), model(x))
    monkeypatch.setattr(CpuTarget, "costs", CHEAP)
    explained = myjit.explain(model, x, options={"placement": "auto"}, show=False)
    in_torch = {r.op for g in explained.graphs for r in g.rejections}
    assert {"aten.native_layer_norm.default", "aten._softmax.default", "aten.addmm.default"} <= in_torch
    assert {r.reason.name for g in explained.graphs for r in g.rejections} <= {"FASTER", "SMALL"}
    compiled = {name for g in explained.graphs for p in g.parts if p.compiled for name, _ in p.ops}
    assert "aten.sigmoid.default" in compiled


def test_training_equals_eager(monkeypatch):
    models = [Block(), Block()]
    models[1].load_state_dict(models[0].state_dict())
    x = torch.randn(8, 16)
    for model, run in zip(models, (models[0], run_with(monkeypatch, CHEAP, models[1])), strict=True):
        torch.manual_seed(3)
        run(x).square().sum().backward()
        assert model.linear.weight.grad is not None
    for one, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(other.grad, one.grad, atol=1e-5, rtol=1e-4)
    assert myjit.stats()["ops_compiled"] > 0


def test_where_nothing_gains_the_program_runs_as_it_was_written(monkeypatch):
    model, x = Block().eval(), torch.randn(8, 16)
    run = run_with(monkeypatch, DEAR, model)
    torch.testing.assert_close(run(x), model(x))
    assert myjit.stats()["ops_compiled"] == 0
    assert set(myjit.stats()["by_design_reasons"]) == {"faster"}
    with Ops() as ops, torch.no_grad():
        run(x)
    assert "aten.gelu.default" in ops.names  # no decomposition of it


def test_views_called_singly_count_against_a_gain(monkeypatch):
    costs = dataclasses.replace(CHEAP, beside_view=1e6)
    model, x = Block().eval(), torch.randn(8, 16)
    run = run_with(monkeypatch, costs, model)
    torch.testing.assert_close(run(x), model(x))
    assert myjit.stats()["ops_compiled"] == 0


def test_placement_compiled_asks_no_costs(monkeypatch):
    model, x = Block().eval(), torch.randn(8, 16)
    run = run_with(monkeypatch, DEAR, model, placement="compiled")
    torch.testing.assert_close(run(x), model(x), atol=1e-5, rtol=1e-5)
    assert myjit.stats()["by_design_reasons"] == {}


def test_dynamic_sizes_run_in_torch(monkeypatch):
    run = run_with(
        monkeypatch, CHEAP, lambda x: nn.functional.gelu(x * 2).sigmoid().softmax(-1), dynamic=True
    )
    for size in (4, 6, 9):
        x = torch.randn(size, 5)
        torch.testing.assert_close(run(x), nn.functional.gelu(x * 2).sigmoid().softmax(-1))
    assert myjit.stats()["recompiles"] <= 1
    assert myjit.stats()["ops_compiled"] == 0


def nodes_of(function, *inputs):
    gm = torch.fx.experimental.proxy_tensor.make_fx(function)(*inputs)
    return [n for n in gm.graph.nodes if n.op == "call_function"]


def test_times_count_what_is_read_and_written():
    nodes = nodes_of(lambda x: (x * 2).sin().view(-1), torch.ones(1000, 1000))
    costs = dataclasses.replace(CHEAP, call=7.0, kernel=2.0, pointwise=2e6)
    assert torch_time(nodes, costs, 1.0) == Time(5.0 + 5.0 + 1.0, 8.0 + 8.0)
    assert compiled_time(nodes, costs) == Time(7.0 + 2.0, 4.0)


def test_what_a_product_takes_and_gives_is_written_down():
    nodes = nodes_of(lambda x: ((x + 1) @ x).sin(), torch.ones(1000, 1000))
    # x + 1 reads and writes; the product reads both and writes; the sine reads and writes
    assert compiled_time(nodes, CHEAP).device == 8.0 + 12.0 + 8.0


def test_ops_that_gain_are_compiled_with_their_neighbours(monkeypatch):
    model, x = Block().eval(), torch.randn(8, 16)
    run = run_with(monkeypatch, WIDE, model)
    torch.testing.assert_close(run(x), model(x), atol=1e-5, rtol=1e-5)
    assert myjit.stats()["ops_compiled"] > 10
    assert myjit.stats()["partitions"] == 1


def test_reductions_of_other_dimensions_stay_in_torch(monkeypatch):
    x = torch.randn(8, 16)
    for dim, compiled in ((0, False), (1, True), (-1, True)):
        torch._dynamo.reset()
        myjit.reset()
        run = run_with(monkeypatch, WIDE, lambda x, dim=dim: (x * 2).sin().softmax(dim).cos() * 3)
        torch.testing.assert_close(run(x), (x * 2).sin().softmax(dim).cos() * 3)
        assert ("faster" in myjit.stats()["by_design_reasons"]) is not compiled


class Image(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.Hardswish())
        self.layers.append(nn.ConvTranspose2d(8, 8, 3) if dims is None else nn.Conv2d(8, 8, 3, groups=8))
        self.dims = dims or (2, 3)

    def forward(self, x):
        return self.layers(x).mean(self.dims).relu()


@pytest.mark.parametrize(("dims", "left"), [((2, 3), set()), ((0, 2), {"mean"}), (None, {"convolution"})])
def test_convolutions_of_images_and_their_means_are_compiled(monkeypatch, dims, left):
    model, x = Image(dims).eval(), torch.randn(2, 4, 9, 9)
    gaining, in_inference = TARGET.costs.gaining, TARGET.costs.gaining_in_inference
    costs = dataclasses.replace(WIDE, gaining=gaining, gaining_in_inference=in_inference)
    monkeypatch.setattr(CpuTarget, "costs", costs)
    with torch.no_grad():
        explained = myjit.explain(model, x, options={"placement": "auto"}, show=False)
        run = torch.compile(model, backend="myjit_mlir", options={"placement": "auto", "fallback": "error"})
        torch.testing.assert_close(run(x), model(x), atol=1e-4, rtol=1e-4)
    assert {r.op.split(".")[1] for g in explained.graphs for r in g.rejections} == left
    explained = myjit.explain(model, x, options={"placement": "auto"}, show=False)  # to be trained
    in_torch = [r.op for g in explained.graphs for r in g.rejections]
    assert in_torch.count("aten.convolution.default") == 2


def decomposed(function, *inputs, kept=()):
    gm = torch.fx.experimental.proxy_tensor.make_fx(function, tracing_mode="fake")(*inputs)
    table = torch._decomp.core_aten_decompositions()
    keep = [n for n in gm.graph.nodes if op_name(n) in kept]
    decompose_nodes(gm, table, keep)
    torch.testing.assert_close(gm(*inputs), function(*inputs))
    return {op_name(n) for n in gm.graph.nodes if n.op == "call_function"}


def test_results_of_several_are_replaced_singly():
    table = torch._decomp.get_decompositions([aten.native_layer_norm])
    gm = torch.fx.experimental.proxy_tensor.make_fx(
        lambda x: aten.native_layer_norm(x, [4], None, None, 1e-5)
    )(torch.randn(3, 4))
    decompose_nodes(gm, table, ())
    assert "aten.native_layer_norm.default" not in {op_name(n) for n in gm.graph.nodes}
    x = torch.randn(3, 4)
    torch.testing.assert_close(gm(x), aten.native_layer_norm(x, [4], None, None, 1e-5))


def test_only_what_is_not_kept_is_decomposed():
    ops = decomposed(lambda x: aten.hardswish(aten.silu(x)), torch.randn(5), kept=("aten.silu.default",))
    assert "aten.silu.default" in ops
    assert "aten.hardswish.default" not in ops


def test_a_decomposition_that_gives_the_input_back_is_not_taken():
    x = torch.randn(3)
    gm = torch.fx.experimental.proxy_tensor.make_fx(aten.relu.default)(x)
    decompose_nodes(gm, {aten.relu.default: lambda x: x}, ())
    assert gm(x) is not x


def test_what_is_not_listed_is_left_to_torch(monkeypatch):
    x, index = torch.randn(4, 4), torch.arange(4).expand(4, 4).contiguous()
    run = run_with(monkeypatch, CHEAP, lambda x: (x.gather(1, index).sin() + 1).cos())
    torch.testing.assert_close(run(x), (x.gather(1, index).sin() + 1).cos())
    assert myjit.stats()["by_design_reasons"] == {"faster": 1}


def test_views_that_only_torch_takes_are_left_to_it(monkeypatch):
    x, index = torch.randn(4, 4), torch.arange(4).expand(4, 4).contiguous()
    run = run_with(monkeypatch, CHEAP, lambda x: (x.sin() + 1).cos().t().gather(1, index))
    torch.testing.assert_close(run(x), (x.sin() + 1).cos().t().gather(1, index))
    assert myjit.stats()["by_design_reasons"] == {"faster": 2}


def test_images_with_the_channels_first_are_turned_where_they_come_and_go():
    costs = dataclasses.replace(CHEAP, pointwise=1.0, bandwidth=1.0)
    weight = torch.randn(8, 4, 3, 3)
    times = {}
    for form in (torch.contiguous_format, torch.channels_last):
        x, w = torch.randn(2, 4, 9, 9).to(memory_format=form), weight.to(memory_format=form)
        times[form] = compiled_time(nodes_of(torch.conv2d, x, w), costs).device
    elements = 2 * 4 * 9 * 9 + 8 * 4 * 9 + 2 * 8 * 7 * 7
    assert times[torch.contiguous_format] - times[torch.channels_last] == 2 * 4 * elements
    (single,) = nodes_of(torch.conv2d, torch.randn(2, 4, 9, 9), weight)
    assert torch_time([single], dataclasses.replace(costs, torch_convolution=30.0), 0.0).host == 30.0
