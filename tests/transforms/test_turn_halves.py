"""Products whose left side is turned beforehand equal eager, and are no library's."""

from __future__ import annotations

import re

import pytest
import torch
from torch.nn import functional as F

from myjit.machine import own_features
from myjit.mlir.panels import registers_of

HAS = registers_of(own_features())

FORMS = {
    "left transposed": (lambda a, b: a.t() @ b, (48, 130), (48, 70)),
    "both transposed": (lambda a, b: a.t() @ b.t(), (48, 130), (70, 48)),
    "result transposed": (lambda a, b: (a.t() @ b).t().contiguous(), (48, 130), (48, 70)),
    "an odd number of steps": (lambda a, b: a.t() @ b, (49, 130), (49, 70)),
    "computed": (lambda a, b: (a * 2).sin().t() @ (b + 1), (48, 130), (48, 70)),
    "batches": (lambda a, b: a.mT @ b, (3, 48, 40), (3, 48, 70)),
    "heads": (lambda a, b: a.permute(0, 2, 3, 1) @ b.transpose(1, 2), (2, 48, 3, 16), (2, 48, 3, 20)),
    "batches on one side": (lambda a, b: torch.einsum("km,bkn->bmn", a, b), (48, 130), (3, 48, 20)),
    "added to": (lambda a, b: a.t() @ b + b[:1], (48, 130), (48, 70)),
    "read twice": (lambda a, b: (a.t() @ b, a + 1, a.t() @ (b * 2)), (48, 130), (48, 70)),
    "of itself": (lambda a, b: a.t() @ a + b.sum(), (48, 130), (3,)),
    "one row": (lambda a, b: a.t() @ b, (48, 1), (48, 70)),
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_forms(compiled, subtests, dtype):
    args = {name: [torch.randn(s).to(dtype) for s in sizes] for name, (_, *sizes) in FORMS.items()}

    def every(args):
        return {name: form[0](*args[name]) for name, form in FORMS.items()}

    results, expected = compiled(every, dynamic=False)(args), every(args)
    for name in FORMS:
        with subtests.test(name):
            torch.testing.assert_close(results[name], expected[name], atol=0.1, rtol=3e-2)


def test_sizes_that_change(compiled):
    run = compiled(lambda a, b: a.t() @ b, dynamic=True)
    for steps in (6, 7, 64):
        a, b = torch.randn(steps, 40).bfloat16(), torch.randn(steps, 50).bfloat16()
        torch.testing.assert_close(run(a, b), a.t() @ b, atol=0.1, rtol=3e-2)


def test_gradients_of_a_linear_layer_under_autocast(compiled):
    layer, x = torch.nn.Linear(64, 128), torch.randn(40, 64, requires_grad=True)

    def gradients(function):
        with torch.autocast("cpu", torch.bfloat16):
            out = function(x, layer.weight, layer.bias).tanh()
        return torch.autograd.grad(out.float().sum(), [x, layer.weight, layer.bias])

    torch.testing.assert_close(gradients(compiled(F.linear)), gradients(F.linear), atol=0.1, rtol=3e-2)


@pytest.mark.skipif(not (HAS and HAS.halves), reason="the processor has no vectors that multiply bfloat16")
@pytest.mark.parametrize("batches", [(), (3,)], ids=["one", "batches on one side"])
def test_panels_multiply_them(batches, tmp_path):
    a, b = torch.randn(256, 512).bfloat16(), torch.randn(*batches, 256, 256).bfloat16()
    options = {"fallback": "error", "dump": str(tmp_path)}
    torch.compile(lambda a, b: a.t() @ b, backend="myjit_mlir", options=options)(a, b)
    (before,) = tmp_path.glob("*/*-packing.mlir")
    assert "@myjit_gemm" not in before.read_text()
    (after,) = tmp_path.glob("*/*-threads.mlir")
    assert re.search(r"avx512bf16\.dpbf16ps|tdpbf16ps", after.read_text())


@pytest.mark.skipif(not (HAS and HAS.halves), reason="the processor has no vectors that multiply bfloat16")
def test_a_product_that_is_read_turned_stays_a_product_of_panels(compiled, tmp_path):
    """As a layer's gradient goes through GELU to another's weight: one kernel gave it both ways round."""
    shapes = ((64, 128), (128, 192), (64, 96), (64, 192))
    a, b, c, h = (torch.randn(shape).bfloat16() for shape in shapes)

    def gradients(a, b, c, h):
        y = (a @ b) * (torch.erf(h) + h * torch.exp(-h * h))
        return y, y.t() @ c

    found, eager = compiled(gradients, dump=str(tmp_path))(a, b, c, h), gradients(a, b, c, h)
    for one, other, right in zip(found, eager, gradients(*(x.double() for x in (a, b, c, h))), strict=True):
        assert (one.double() - right).norm() <= 2 * (other.double() - right).norm()
    (after,) = tmp_path.glob("*/*-tiles.mlir")
    assert "linalg.matmul" not in after.read_text()
