"""Reductions over the same rows give in one kernel what they give in several, forward and backward."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

import myjit
from myjit.passes.pipeline import PIPELINES

WITHOUT = PIPELINES.get("cpu").without("rows")


def residual_norm(x):
    """Use what the norm reads a second time, before and after it."""
    y = x + x.roll(1, 0)
    z = functional.layer_norm(y, y.shape[-1:])
    return y + z, y.sum(0)


def crossed(x):
    """Read a row of the result, out of order, from inside of what follows."""
    centred = x - x.mean(-1, keepdim=True)
    scaled = centred / centred.square().sum(-1, keepdim=True).sqrt()
    return scaled + scaled.flip(0) + centred.sum(-1, keepdim=True).t()


def around(x):
    """Leave the rows between two reductions, and come back."""
    centred = x - x.mean(-1, keepdim=True)
    other = centred.transpose(-1, -2).contiguous().cumsum(-1).transpose(-1, -2)
    return (centred * other).sum(-1), (centred + other).amax(-1)


FORMS = {
    "layer norm": lambda x: functional.layer_norm(x, x.shape[-1:]),
    "layer norm over two dimensions": lambda x: functional.layer_norm(x, x.shape[-2:]),
    "log softmax": lambda x: functional.log_softmax(x, -1),
    "softmax written out": lambda x: (e := (x - x.amax(-1, keepdim=True)).exp()) / e.sum(-1, keepdim=True),
    "a sum of softmax": lambda x: (x.softmax(-1) * x).sum(-1),
    "normalized": lambda x: functional.normalize(x, dim=-1) * 2 + 1,
    "standardized": lambda x: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-3),
    "variance and mean": lambda x: torch.var_mean(x, -1),
    "entropy": lambda x: torch.special.entr(x.softmax(-1)).sum(-1),
    "group norm": lambda x: functional.group_norm(x, 3) if x.dim() > 2 else x.sum(-1),
    "batch norm": lambda x: functional.silu(
        functional.batch_norm(torch.stack([x, x * 2]), None, None, training=True)
    ),
    "normalized over the first and last": lambda x: functional.normalize(x.sin(), dim=(0, -1)),
    "softmax over the first and last": lambda x: (
        (e := (x - x.amax((0, -1), True)).exp()) / e.sum((0, -1), True)
    ),
    "instance norm": lambda x: functional.instance_norm(x[None]) if x.dim() == 3 else x.sum(-1),
    "residual norm": residual_norm,
    "crossed": lambda x: crossed((y := x.flatten(0, -2))[: min(y.shape), : min(y.shape)]),
    "around": around,
    "two norms": lambda x: functional.layer_norm(functional.rms_norm(x, x.shape[-1:]).relu(), x.shape[-1:]),
    "two of one": lambda x: (functional.layer_norm(x, x.shape[-1:]), functional.rms_norm(x, x.shape[-1:])),
    "weighted": lambda x: (p := x * (x + 1)) - x * p.sum(-1, True),
    "greatest and least": lambda x: (x - x.amin(-1, True)) / (x.amax(-1, True) - x.amin(-1, True)),
}
SHAPES = [(5, 33), (2, 6, 40), (3, 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_and_gradients(shape, compiled):
    """All forms in one program each way, so that groups stand beside each other."""
    x = (torch.randn(shape) * 3).requires_grad_()

    def every(x):
        return [result for form in FORMS.values() for result in _several(form(x))]

    results, expected = compiled(every, dynamic=False)(x), every(x)
    for name, result, value in zip(_names(x), results, expected, strict=True):
        torch.testing.assert_close(
            result, value, rtol=1e-4, atol=1e-4, equal_nan=True, msg=lambda m, name=name: f"{name}: {m}"
        )
    weights = [
        torch.randn_like(value) if value.isfinite().all() else torch.zeros_like(value) for value in expected
    ]
    found = torch.autograd.grad(results, x, weights)[0]
    torch.testing.assert_close(
        found, torch.autograd.grad(expected, x, weights)[0], rtol=1e-3, atol=1e-3, equal_nan=True
    )


def _several(results):
    return [results] if isinstance(results, torch.Tensor) else list(results)


def _names(x):
    return [name for name, form in FORMS.items() for _ in _several(form(x))]


@pytest.mark.parametrize("form", ["layer norm", "residual norm", "crossed", "around", "variance and mean"])
def test_alone(form, compiled):
    x = torch.randn(2, 6, 40)
    found = _several(compiled(FORMS[form], dynamic=False)(x))
    for result, expected in zip(found, _several(FORMS[form](x)), strict=True):
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_other_types(dtype, compiled):
    x = torch.randn(33, 100, dtype=dtype)
    for name in ("layer norm", "log softmax", "standardized"):
        result = compiled(FORMS[name], dynamic=False)(x)
        assert result.dtype == dtype
        tolerance = {torch.float64: 1e-12, torch.float16: 5e-3, torch.bfloat16: 4e-2}[dtype]
        torch.testing.assert_close(result, FORMS[name](x), rtol=tolerance, atol=tolerance)


def test_sizes_that_change(compiled):
    run = compiled(FORMS["layer norm"], dynamic=True)
    for shape in [(4, 50), (7, 60), (1, 3)]:
        x = torch.randn(shape)
        torch.testing.assert_close(run(x), FORMS["layer norm"](x), rtol=1e-4, atol=1e-4)


def divergence(x, y):
    return (x.softmax(-1) * (x.log_softmax(-1) - y.log_softmax(-1))).sum(-1)


def divergence_around(x, y):
    """Read the other tensor's rows by way of columns as well: no row of both is to be had in one go."""
    other = y.log_softmax(-1)
    return (x.log_softmax(-1) * other + other.cumsum(0)).sum(-1)


def correlation(x, y):
    x, y = (each - each.mean(-1, keepdim=True) for each in (x, y))
    return (x * y).mean(-1) / (x.std(-1) * y.std(-1))


OF_TWO = {
    "cosine similarity": functional.cosine_similarity,
    "divergence": divergence,
    "divergence around": divergence_around,
    "correlation": correlation,
    "products of norms": lambda x, y: FORMS["layer norm"](x) * FORMS["layer norm"](y),
    "one of the other": lambda x, y: functional.cosine_similarity(x, y * FORMS["normalized"](x)),
    "results read twice": lambda x, y: (a := x.softmax(-1), b := y.softmax(-1), (a * b).sum(-1), a.mm(b.t())),
    "three": lambda x, y: (
        (divergence(x, y) + divergence(y, x.sin())) * functional.cosine_similarity(x.exp(), y)
    ),
}


@pytest.mark.parametrize("shape", [(6, 40), (33, 7), (1, 100)], ids=str)
@pytest.mark.parametrize("name", OF_TWO)
def test_rows_of_two_tensors(compiled, name, shape):
    x, y = (torch.randn(shape, requires_grad=True) for _ in range(2))
    results, expected = (
        _several(each(x, y)) for each in (compiled(OF_TWO[name], dynamic=False), OF_TWO[name])
    )
    torch.testing.assert_close(results, expected, rtol=1e-4, atol=1e-5)
    weights = [torch.randn_like(value) for value in expected]
    found, wanted = (torch.autograd.grad(each, (x, y), weights) for each in (results, expected))
    torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-4)


def kernels(function, arguments, folder, pipeline="cpu"):
    """Return how many kernels a function becomes."""
    torch._dynamo.reset()
    options = {"pipeline": pipeline, "fallback": "error", "dump": str(folder)}
    torch.compile(function, backend="myjit_mlir", options=options, dynamic=False)(*arguments)
    (tiles,) = folder.glob("*/*-tiles.mlir")
    return tiles.read_text().count("hal.executable.export")


def test_a_norm_is_one_kernel(tmp_path):
    x = torch.randn(64, 256)
    assert kernels(FORMS["layer norm"], [x], tmp_path / "with") == 1
    assert kernels(FORMS["layer norm"], [x], tmp_path / "without", WITHOUT) == 2


@pytest.mark.parametrize("shape", [(2, 64, 14, 14), (8, 96, 33)], ids=str)
def test_a_batch_norm_is_one_kernel(tmp_path, shape):
    """Its rows are pieces of each image."""

    def function(x):
        return functional.batch_norm(x * 2, None, None, training=True).relu()

    x = torch.randn(shape)
    assert kernels(function, [x], tmp_path / "with") == 1
    assert kernels(function, [x], tmp_path / "without", WITHOUT) > 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_the_gradient_of_a_batch_norm_is_one_kernel(tmp_path, dtype):
    """Also where the statistics are widened first, which has nothing to do with rows."""

    def gradients(grad, x, weight, mean, scale):
        backward = torch.ops.aten.native_batch_norm_backward
        return backward(grad, x, weight, None, None, mean, scale, True, 1e-5, [True, True, True])

    grad, x = torch.randn(2, 2, 64, 14, 14).to(dtype)
    arguments = [grad, x, torch.randn(64), torch.randn(64).to(dtype), torch.rand(64).to(dtype)]
    assert kernels(gradients, arguments, tmp_path / "with") == 1
    assert kernels(gradients, arguments, tmp_path / "without", WITHOUT) > 3


def test_what_is_added_up_and_read_again_is_one_kernel(tmp_path):
    of_softmax = torch.ops.aten._softmax_backward_data
    gradient, rows = torch.randn(2, 96, 256)
    assert kernels(lambda g, y: of_softmax(g, y, -1, torch.float32), [gradient, rows], tmp_path / "many") == 1
    few = [gradient[:3], rows[:3]]  # threads share what goes element by element
    assert kernels(lambda g, y: of_softmax(g, y, -1, torch.float32), few, tmp_path / "few") == 2


@pytest.mark.parametrize(("name", "count"), [("cosine similarity", 1), ("divergence", 1), ("correlation", 2)])
def test_sums_over_rows_of_two_norms_are_one_kernel(tmp_path, name, count):
    """And what stands beside the last of them another, not one for each of its own sums."""
    assert kernels(OF_TWO[name], torch.randn(2, 64, 256), tmp_path) == count


@pytest.mark.parametrize("size", [7, 56])
def test_what_stands_beside_the_last_reduction_is_a_kernel_of_its_own(compiled, size):
    """IREE distributes a kernel by its last reduction, and refused what has nothing to do with it."""
    norms = [torch.nn.BatchNorm2d(64) for _ in range(2)]
    x, r = torch.randn(1, 64, size, size, requires_grad=True), torch.randn(1, 64, size, size)
    functions = [lambda x, r, norm=norm: (norm(x) + r).relu().mean((2, 3)) for norm in norms]
    before = myjit.stats()["safer_flags"]
    torch.testing.assert_close(compiled(functions[0], cache=False)(x, r), functions[1](x, r))
    assert myjit.stats()["safer_flags"] == before
    torch.testing.assert_close(norms[0].running_mean, norms[1].running_mean)


def test_many_norms_one_behind_the_other(compiled):
    """In one kernel IREE would compute each anew for both sums of the next one."""
    scales = torch.rand(18, 2, 3)

    def function(x):
        for scale, shift in scales:
            x = functional.batch_norm(x, None, None, scale, shift, training=True)
        return x

    x = torch.randn(2, 3, 16, requires_grad=True)
    found, wanted = (each(x) for each in (compiled(function, compile_timeout=60), function))
    torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-3)
    gradients = [torch.autograd.grad(each.sin().sum(), x)[0] for each in (found, wanted)]
    torch.testing.assert_close(*gradients, rtol=1e-2, atol=1e-2)
