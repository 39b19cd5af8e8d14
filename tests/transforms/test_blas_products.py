"""Products that torch's BLAS computes equal eager, whatever their layout, on one thread and on two."""

from __future__ import annotations

import functools

import pytest
import torch
from torch.nn import functional as F

import myjit
from myjit.machine import own_features
from myjit.passes.pipeline import PIPELINES
from myjit.runtime.process import libraries

pytestmark = pytest.mark.skipif("blas" not in libraries(), reason="this torch brings no MKL")

WITHOUT = PIPELINES.get("cpu").without("libraries")
#: Also what panels multiply as fast.
ALWAYS = PIPELINES.get("cpu").with_option("blas-products.always", True)
FORMS = {
    "as it lies": (lambda a, b: a @ b, (130, 300), (300, 260)),
    "left transposed": (lambda a, b: a.t() @ b, (300, 130), (300, 260)),
    "right transposed": (lambda a, b: a @ b.t(), (130, 300), (260, 300)),
    "both transposed": (lambda a, b: a.t() @ b.t(), (300, 130), (260, 300)),
    "result transposed": (lambda a, b: (a @ b).t().contiguous(), (130, 300), (300, 260)),
    "an odd number of columns": (lambda a, b: a @ b, (129, 256), (256, 257)),
    "of slices": (lambda a, b: a[:, 10:160] @ b[:150, ::2], (130, 300), (300, 260)),
    "then an activation": (lambda a, b: (a @ b).relu() + 1, (130, 300), (300, 260)),
    "batches": (lambda a, b: a @ b, (3, 130, 100), (3, 100, 260)),
    "two batches": (lambda a, b: a @ b.transpose(-1, -2), (2, 3, 130, 100), (2, 3, 260, 100)),
    "heads": (lambda a, b: a.transpose(1, 2) @ b.permute(0, 2, 3, 1), (2, 130, 3, 100), (2, 140, 3, 100)),
    "batches on one side": (lambda a, b: torch.einsum("mk,bkn->bmn", a, b), (130, 100), (3, 100, 260)),
    "the same twice": (lambda a, b: (a @ b) @ (a @ b).t(), (130, 300), (300, 260)),
    "of itself": (lambda a, b: a @ a.t() + b.sum(), (130, 300), (3,)),
}


@pytest.fixture
def on_threads():
    """Count to two, on so many threads of torch's."""
    before = torch.get_num_threads()
    yield (torch.set_num_threads(number) or number for number in (1, 2))
    torch.set_num_threads(before)


def every(forms, args):
    """Compute each form of its own arguments."""
    return {form: FORMS[form][0](*args[form]) for form in forms}


@pytest.mark.parametrize("forms", [["batches", "heads", "batches on one side"], sorted(FORMS)], ids=len)
def test_forms(forms, compiled, on_threads, subtests):
    check_forms(forms, compiled, on_threads, subtests, torch.float32)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_halves(dtype, compiled, on_threads, subtests):
    check_forms(
        ["left transposed", "right transposed", "result transposed", "heads"],
        compiled,
        on_threads,
        subtests,
        dtype,
    )


def check_forms(forms, compiled, on_threads, subtests, dtype):
    args = {form: [torch.randn(shape, dtype=dtype) for shape in FORMS[form][1:]] for form in forms}
    run = compiled(functools.partial(every, forms), dynamic=False, pipeline=ALWAYS)
    eager = every(forms, args)
    expected = every(forms, {form: [x.double() for x in args[form]] for form in forms})
    for threads in on_threads:
        actual = run(args)
        for form, right in expected.items():
            with subtests.test(form, threads=threads):
                error, theirs = ((x[form].double() - right).norm() / right.norm() for x in (actual, eager))
                assert error <= 2 * max(theirs, 1e-6)


def calls(function, *args, folder, dynamic=False, **options):
    """Run a function compiled; return what it gives, and how many products of it BLAS computes."""
    settings = {"fallback": "error", "dump": str(folder), "pipeline": ALWAYS, **options}
    result = torch.compile(function, backend="myjit_mlir", options=settings, dynamic=dynamic)(*args)
    (after,) = folder.glob("*/*-libraries.mlir")
    return result, after.read_text().count("= flow.dispatch @myjit_gemm")


@pytest.mark.parametrize(
    ("shape", "found"),
    [((128, 256, 256), 1), ((4, 1024, 1024), 0), ((64, 64, 64), 0), ((8, 512, 512), 0), ((16, 512, 512), 1)],
)
def test_what_is_left_to_blas(shape, found, tmp_path):
    rows, depth, columns = shape
    a, b = torch.randn(rows, depth), torch.randn(depth, columns)
    result, number = calls(torch.mm, a, b, folder=tmp_path)
    assert number == found
    torch.testing.assert_close(result, a @ b, atol=1e-4, rtol=1e-4)


@pytest.mark.skipif("avx2" not in own_features(), reason="no vectors that panels are written for")
@pytest.mark.parametrize("images", [1, 3])
def test_short_rows_of_pixels_are_left_to_panels(images, tmp_path):
    x, pixelwise = torch.randn(images, 256, 5, 12), torch.randn(1024, 256, 1, 1) / 16
    for i, windows in enumerate((torch.randn(8, 1024, 1, 1), torch.randn(8, 1024, 3, 3))):

        def convolve(x, w, v=windows):
            return F.conv2d(F.conv2d(x, w).relu(), v, padding=v.shape[-1] // 2)

        result, number = calls(
            convolve, x, pixelwise, folder=tmp_path / str(i), pipeline=PIPELINES.get("cpu")
        )
        assert number == 0
        torch.testing.assert_close(result, convolve(x, pixelwise), atol=2e-3, rtol=1e-4)


def test_double_precision_stays(tmp_path):
    a, b = torch.randn(256, 256, dtype=torch.float64), torch.randn(256, 256, dtype=torch.float64)
    result, number = calls(torch.mm, a, b, folder=tmp_path)
    assert number == 0
    torch.testing.assert_close(result, a @ b)


@pytest.mark.parametrize("forms", [sorted(FORMS)[:7], sorted(FORMS)[7:]], ids=["first", "second"])
def test_sizes_that_change(forms, compiled, on_threads, subtests):
    run = compiled(functools.partial(every, forms), dynamic=True)
    for threads in on_threads:
        for factor in (1, 2, 3):
            args = {form: [_larger(shape, factor) for shape in FORMS[form][1:]] for form in forms}
            actual, expected = run(args), every(forms, args)
            for form in forms:
                with subtests.test(form, threads=threads, factor=factor):
                    torch.testing.assert_close(actual[form], expected[form], atol=2e-3, rtol=1e-4)


def _larger(shape, factor):
    return torch.randn([n * factor if n > 3 else n for n in shape])


def test_an_unknown_size_is_left_to_blas(tmp_path):
    a, b = torch.randn(20, 30), torch.randn(30, 40)
    torch._dynamo.mark_dynamic(a, 0)
    result, number = calls(torch.mm, a, b, folder=tmp_path, dynamic=None)
    assert number == 1
    torch.testing.assert_close(result, a @ b, atol=1e-4, rtol=1e-4)


def test_no_rows_and_no_depth(compiled):
    run = compiled(lambda a, b: a[a[:, 0] > 0] @ b, dynamic=True)
    a, b = torch.randn(50, 30), torch.randn(30, 40)
    for rows in (a, a.abs(), -a.abs()):
        torch.testing.assert_close(run(rows, b), rows[rows[:, 0] > 0] @ b, atol=1e-4, rtol=1e-4)
    run = compiled(lambda a, b: a[:, a[0] > 0] @ b[a[0] > 0], dynamic=True)
    assert torch.equal(run(-a.abs(), b), torch.zeros(50, 40))


def test_layers_and_their_gradients_for_batches_that_change(compiled):
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    run = compiled(layer, dynamic=True)
    for batch, tokens in ((2, 10), (3, 17), (5, 40)):
        x = torch.randn(batch, tokens, 64, requires_grad=True)
        wanted = [x, *layer.parameters()]
        expected = torch.autograd.grad(layer(x).square().sum(), wanted)
        found = torch.autograd.grad(run(x).square().sum(), wanted)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, atol=1e-2, rtol=1e-3)


def test_a_product_that_starts_from_a_bias(compiled):
    layer, x = torch.nn.Conv2d(64, 128, 1), torch.randn(2, 64, 20, 20)
    with torch.no_grad():
        torch.testing.assert_close(compiled(layer)(x), layer(x), atol=1e-4, rtol=1e-4)


def test_infinities_and_nans(compiled):
    a, b = torch.randn(128, 256), torch.randn(256, 256)
    a[3, 4], a[5, 6], b[7, 8] = float("inf"), float("nan"), float("-inf")
    torch.testing.assert_close(compiled(torch.mm)(a, b), a @ b, equal_nan=True, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("freeze", [False, True])
def test_layers_and_their_gradients(freeze, compiled):
    layers = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 200))
    x = torch.randn(130, 256, requires_grad=True)
    run = compiled(layers, freeze=freeze)
    with torch.no_grad():
        torch.testing.assert_close(run(x), layers(x), atol=1e-4, rtol=1e-4)
        layers[0].weight.mul_(2)
        torch.testing.assert_close(run(x), layers(x), atol=1e-4, rtol=1e-4)
    wanted = [x, *layers.parameters()]
    expected = torch.autograd.grad(layers(x).square().sum(), wanted)
    found = torch.autograd.grad(run(x).square().sum(), wanted)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-2, rtol=1e-3)


def test_threads_at_once(compiled):
    from concurrent.futures import ThreadPoolExecutor

    a, b = torch.randn(256, 256), torch.randn(256, 256)
    run = compiled(torch.mm, dynamic=False)
    expected = run(a, b)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: run(a, b), range(40)):
            torch.testing.assert_close(result, expected, atol=1e-4, rtol=1e-4)


def test_a_saved_model_calls_no_blas(tmp_path):
    layer, x = torch.nn.Linear(256, 256), torch.randn(128, 256)
    path = myjit.export(layer, (x,), path=tmp_path / "layer.myjit")
    assert b"myjit.library" not in path.read_bytes()
    torch.testing.assert_close(torch.as_tensor(myjit.load(path)(x)), layer(x).detach(), atol=1e-4, rtol=1e-4)


def test_code_that_calls_blas_is_kept_apart(compiled):
    a, b = torch.randn(256, 256), torch.randn(256, 256)
    for pipeline, misses in (("cpu", 1), (WITHOUT, 2), ("cpu", 2)):
        torch._dynamo.reset()
        torch.testing.assert_close(compiled(torch.mm, pipeline=pipeline)(a, b), a @ b, atol=1e-4, rtol=1e-4)
        assert myjit.stats()["cache_misses"] == misses
