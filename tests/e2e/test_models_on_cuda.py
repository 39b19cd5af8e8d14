"""Whole models on a GPU, in three types: forward and gradients are as near to float64 as eager's are."""

from __future__ import annotations

import copy
import importlib.util
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map_only

import myjit

_spec = importlib.util.spec_from_file_location("e2e_models", Path(__file__).with_name("models.py"))
assert _spec is not None
assert _spec.loader is not None
models = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(models)

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.slow,
    pytest.mark.skipif(not myjit.is_available("cuda"), reason=str(myjit.is_available("cuda"))),
    # Convolutions of half types and parts of recurrent networks are torch's there.
    pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning"),
]

#: What eager's own error is allowed to grow by, and what every result may be off by: an activation on the
#: other side of zero, or another maximum of a pool, turns a column of a gradient.
FACTOR, FLOOR = 3.0, {torch.float32: 1e-5, torch.float16: 5e-2, torch.bfloat16: 1e-1}
TYPES = pytest.mark.parametrize("dtype", list(FLOOR), ids=str)


def floats(output):
    values = dict(output) if hasattr(output, "keys") else output
    return [t for t in tree_leaves(values) if isinstance(t, torch.Tensor) and t.is_floating_point()]


def moved(inputs, device, dtype):
    change = lambda t: t.to(device, dtype if t.is_floating_point() else None)  # noqa: E731
    return tree_map_only(torch.Tensor, change, inputs)


def assert_as_near(actual, eager, exact, dtype):
    """Compare the norms of ours and of eager's errors, over the value's or a hundredth of the largest."""
    assert len(actual) == len(eager) == len(exact) > 0
    least = max(want.norm() for want in exact) / 100  # below it a sum of what cancels is noise
    for got, theirs, want in zip(actual, eager, exact, strict=True):
        assert (got.dtype, got.shape) == (theirs.dtype, theirs.shape)
        scale = want.norm().clamp_min(least)
        ours, reference = (((t.cpu().double() - want).norm() / scale).item() for t in (got, theirs))
        assert ours <= FACTOR * reference + FLOOR[dtype], f"error {ours:.1e}, eager's {reference:.1e}"


@pytest.fixture(params=["compiled", "auto"])
def on_the_gpu(request, compiled, monkeypatch):
    monkeypatch.setenv("MYJIT_PLACEMENT", request.param)
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        yield partial(compiled, fallback="eager")
    assert request.param == "auto" or myjit.stats()["ops_compiled"] > 0


@TYPES
@pytest.mark.parametrize("name", models.MODELS)
def test_forward(on_the_gpu, name, dtype):
    model, *inputs = models.MODELS[name]()
    model.eval()
    with torch.no_grad():
        args, kwargs = moved(inputs, "cpu", torch.float64)
        exact = floats(copy.deepcopy(model).double()(*args, **kwargs))
        model.to("cuda", dtype)
        args, kwargs = moved(inputs, "cuda", dtype)
        eager = floats(model(*args, **kwargs))
        actual = floats(on_the_gpu(model)(*args, **kwargs))
    assert_as_near(actual, eager, exact, dtype)


@TYPES
@pytest.mark.parametrize("name", models.MODELS)
def test_gradients(on_the_gpu, name, dtype):
    model, *inputs = models.MODELS[name]()
    model.train(
        isinstance(model, nn.RNNBase)
    )  # without dropout, whose numbers differ; cuDNN's RNNs must train

    def gradients(model, run, device, dtype):
        args, kwargs = moved(inputs, device, dtype)
        losses = [t.float().square().mean() for t in floats(run(*args, **kwargs))]
        (256 * sum(losses)).backward()  # so that halves hold the gradients
        return [p.grad for p in model.parameters() if p.grad is not None]

    exact_model = copy.deepcopy(model).double()
    exact = gradients(exact_model, exact_model, "cpu", torch.float64)
    theirs = copy.deepcopy(model).to("cuda", dtype)
    ours = copy.deepcopy(theirs)
    eager = gradients(theirs, theirs, "cuda", dtype)
    assert_as_near(gradients(ours, on_the_gpu(ours), "cuda", dtype), eager, exact, dtype)
