"""Kernels that a program registers: their names, what they are told, which nodes they take."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

import myjit
from myjit import user_kernels
from myjit.errors import OptionsError
from myjit.frontend.kernel_nodes import unserved, with_own_kernels
from myjit.frontend.support import Reason
from myjit.kernels.base import KERNELS
from myjit.pipelines.cpu import PIPELINE as CPU
from myjit.pipelines.cuda import PIPELINE as CUDA

FUNCTION = SimpleNamespace(arg_names=["x", "out", "COLUMNS"])


@pytest.fixture
def launch(monkeypatch):
    """Register a kernel for cumulated sums along the rows of float32 matrices."""
    monkeypatch.setattr(user_kernels, "_launchers", {})

    @myjit.kernel("aten.cumsum", FUNCTION)
    def launch(x, dim, dtype):
        if x.dtype != "f32" or len(x.shape) != 2 or dim != -1 or dtype is not None:
            return None
        return myjit.Launch((x.shape[0],), {"COLUMNS": x.shape[1]}, warps=2)

    yield launch
    KERNELS.forget("op_aten_cumsum")


def test_a_plan_is_made_of_what_the_call_says(launch):
    numbers = {"count": 3, "kind0": 0, "a0type": 0, "a0rank": 2, "a0size0": 5, "a0size1": 100}
    numbers |= {"kind1": 1, "a1": (1 << 64) - 1, "kind2": 4, "result": 0}
    plan = KERNELS.get("op_aten_cumsum").plan(numbers)
    assert plan.grid == (5, 1, 1)
    assert plan.pointers == {"x": "fp32", "out": "fp32"}
    assert (plan.constants, plan.warps) == ({"COLUMNS": 100}, 2)


def test_pipelines_for_gpus_know_the_ops(launch):
    changed = with_own_kernels(CUDA)
    assert "outline-kernels{ops=aten.cumsum kernels=op_aten_cumsum}" in changed.spec()
    assert "aten.cumsum" in changed.decompositions().keep
    assert changed.fingerprint() != CUDA.fingerprint()
    assert with_own_kernels(CPU) is CPU


@pytest.mark.parametrize(("dim", "dtype", "served"), [(-1, "float32", True), (0, "float32", False)])
def test_nodes_that_the_kernel_does_not_take_run_in_torch(launch, dim, dtype, served):
    gm = torch.fx.experimental.proxy_tensor.make_fx(lambda x: x.cumsum(dim) + 1, tracing_mode="fake")(
        torch.ones(3, 4, dtype=getattr(torch, dtype))
    )
    found = [rejection.reason for rejection in unserved(gm).values()]
    assert found == ([] if served else [Reason.KERNEL])


@pytest.mark.parametrize("name", ["cumsum", "my lib.cumsum", "::cumsum"])
def test_an_op_is_named_with_its_namespace(name):
    with pytest.raises(OptionsError, match="an op is named like"):
        myjit.kernel(name, FUNCTION)
