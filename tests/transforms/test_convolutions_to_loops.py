"""Dense convolutions by panels equal eager: of any size, layout and form, whatever follows them."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import myjit
from myjit.machine import own_features

AVX2 = "--iree-llvmcpu-target-cpu=haswell"
#: Images, channels in and out, size of the image: below a vector, of several panels, none that divides, and
#: of several lines in a vector.
SIZES = [
    (1, 8, 16, (9, 9)),
    (2, 5, 7, (11, 10)),
    (1, 70, 33, (14, 14)),
    (3, 130, 1, (7, 7)),
    (1, 3, 40, (5, 61)),
    (20, 9, 600, (7, 5)),
]
FORMS = {
    "padded": {"kernel": (3, 3), "padding": 1},
    "strided": {"kernel": (3, 3), "stride": 2, "padding": 1},
    "dilated": {"kernel": (3, 3), "padding": 2, "dilation": 2},
    "oblong": {"kernel": (1, 4), "stride": (1, 2)},
    "large": {"kernel": (5, 4), "padding": 2},
}
AFTER = {
    "BatchNorm": lambda y, x, b: F.batch_norm(y, b, b.square() + 1, b, b).relu(),
    "residual sum": lambda y, x, b: y + torch.tanh(y) * 2,
    "convolution": lambda y, x, b: F.conv2d(
        y.relu(), y.mean((0, 2, 3)).view(1, -1, 1, 1).expand(4, -1, 3, 3), padding=1
    ),
    "pooling": lambda y, x, b: F.max_pool2d(y, 3, 2, 1),
    "channels last": lambda y, x, b: y.permute(0, 2, 3, 1).contiguous() + b,
    "a number for each column": lambda y, x, b: y * x[0, 0, 0] + x[0, 0, :, :1] - x[:1, :1],
    "a part of more": lambda y, x, b: torch.cat([y, y * 2], 1),
    "truth values": lambda y, x, b: (y > 0) & (y < b.view(-1, 1, 1)),
    "softmax": lambda y, x, b: y.softmax(1),
    "turned": lambda y, x, b: (
        y + torch.outer(b, x.flatten()[: y[0, 0].numel()]).t().contiguous().t().view(y[0].shape)
    ),
    "places": lambda y, x, b: y.flatten(2).transpose(1, 2) + torch.arange(y[0, 0].numel())[:, None],
    "looked up": lambda y, x, b: (
        y.flatten(2).transpose(1, 2)
        + F.embedding(torch.arange(y[0, 0].numel()) % 9, x.flatten()[: 9 * y.shape[1]].view(9, -1))
    ),
}


def tensors(size, kernel=(3, 3)):
    images, inputs, outputs, extent = size
    weight = torch.randn(outputs, inputs, *kernel)
    return torch.randn(images, inputs, *extent), weight / weight[0].numel() ** 0.5, torch.randn(outputs)


@pytest.mark.parametrize("flags", [(), (AVX2,)], ids=["this processor", "AVX2"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_forms(size, flags, each_equals_eager):
    weights = {form: tensors(size, options["kernel"])[1] for form, options in FORMS.items()}

    def convolution(form):
        options = {name: value for name, value in FORMS[form].items() if name != "kernel"}
        return lambda x, w, b: F.conv2d(x, w[form], b, **options).relu()

    x, _, b = tensors(size)
    functions = {form: convolution(form) for form in FORMS}
    each_equals_eager(functions, x, weights, b, options={"iree_flags": flags}, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("size", [(2, 12, 20, (9, 10)), (1, 64, 32, (28, 28))], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_what_follows(size, dtype, compiled, subtests):
    x, w, b = tensors(size)
    errors = {"atol": 2e-4, "rtol": 1e-4}
    if dtype == torch.bfloat16:
        x, w, b = (each.mul(4).round().div(4).bfloat16() for each in (x, w, b))
        errors = {"atol": 3e-2, "rtol": 3e-2}
    for name, after in AFTER.items():
        with subtests.test(name):

            def function(x, w, b, after=after):
                return after(F.conv2d(x, w, b, padding=1), x, b)

            before = myjit.stats()["safer_flags"]
            actual = compiled(function, cache=False)(x, w, b)
            torch.testing.assert_close(actual, function(x, w, b), **errors)
            assert myjit.stats()["safer_flags"] == before


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last], ids=str)
@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_layouts(layout, depthwise, dtype, compiled):
    middle = [nn.Conv2d(24, 24, 3, padding=1, groups=24), nn.SiLU()] if depthwise else []
    model = nn.Sequential(
        nn.Conv2d(6, 24, 3, padding=1), nn.ReLU(), *middle, nn.Conv2d(24, 40, 3, stride=2), nn.GELU()
    )
    model, x = model.to(memory_format=layout), torch.randn(2, 6, 19, 18).to(memory_format=layout)
    model, x = model.to(dtype), x.to(dtype)
    with torch.no_grad():
        actual, expected = compiled(model)(x), model(x)
    error = 1e-4 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(actual, expected, atol=error, rtol=error)
    assert actual.stride() == expected.stride()


@pytest.mark.parametrize("size", [*SIZES, (1, 512, 600, (4, 17))], ids=str)
def test_bfloat16(size, compiled, subtests):
    for form, options in FORMS.items():
        with subtests.test(form):
            x, w, b = (each.bfloat16() for each in tensors(size, options["kernel"]))
            rest = {name: value for name, value in options.items() if name != "kernel"}

            def convolution(x, w, b, rest=rest):
                return F.conv2d(x, w, b, **rest)

            right = convolution(x.double(), w.double(), b.double())
            actual = compiled(convolution)(x, w, b)
            # torch's own are NaN for some of these with AMX
            errors = [(each.double() - right).norm() / right.norm() for each in (actual, right.bfloat16())]
            assert errors[0] <= 1.5 * errors[1] + 1e-6


#: Images, channels in and out, size of the image: of runs that fill vectors, that several fill, and odd ones.
GRADIENT_SIZES = [
    (1, 8, 16, (32, 32)),
    (3, 33, 20, (14, 14)),
    (2, 64, 70, (7, 7)),
    (5, 5, 600, (8, 9)),
    (2, 16, 24, (5, 59)),
]
GRADIENT_FORMS = {
    **FORMS,
    "one pixel": {"kernel": (1, 1), "stride": 2},
    "a line": {"kernel": (1, 3), "padding": (0, 1)},
    "wide": {"kernel": (2, 7), "padding": (1, 3)},
}


@pytest.mark.parametrize("size", GRADIENT_SIZES, ids=str)
def test_gradients_of_bfloat16(size, compiled, subtests):
    for form, options in GRADIENT_FORMS.items():
        with subtests.test(form):
            x, w, _ = (each.bfloat16() for each in tensors(size, options["kernel"]))
            rest = {name: value for name, value in options.items() if name != "kernel"}

            def convolution(x, w, rest=rest):
                return F.conv2d(x, w, **rest)

            behind = torch.randn(convolution(x.float(), w.float()).shape).bfloat16()

            def gradients(run, dtype, given=(x, w), behind=behind):
                x, w = (each.to(dtype, copy=True).requires_grad_() for each in given)
                return torch.autograd.grad(run(x, w), (x, w), behind.to(dtype))

            found = gradients(compiled(convolution), torch.bfloat16)
            for actual, right in zip(found, gradients(convolution, torch.double), strict=True):
                assert (actual.double() - right).norm() <= 6e-3 * right.norm()


@pytest.mark.skipif(
    "amxbf16" not in own_features(),
    reason="the processor has no AMX, or Linux does not let this process use it",
)
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last], ids=str)
@pytest.mark.parametrize("stride", [1, 2])
def test_matrices_add_up_gradients(stride, layout, compiled, tmp_path):
    x, w, b = (each.bfloat16().requires_grad_() for each in tensors((2, 16, 32, (16, 16))))
    x = x.detach().to(memory_format=layout).requires_grad_()
    myjit.reset()

    def convolution(x, w, b):
        return F.conv2d(x, w, b, stride=stride, padding=1)

    compiled(convolution, dump=str(tmp_path), placement="auto")(x, w, b).sum().backward()
    text = "".join(path.read_text() for path in tmp_path.glob("*/*-tiles.mlir"))
    kernels = [kernel for kernel in text.split("func.func @")[1:] if "conv" in kernel.split("(")[0]]
    assert len(kernels) >= 3
    assert all("tdpbf16ps" in kernel for kernel in kernels)
    assert myjit.stats()["by_design_reasons"] == {}  # nothing is left to torch
    assert myjit.stats()["safer_flags"] == 0


@pytest.mark.skipif(
    "amxbf16" not in own_features(),
    reason="the processor has no AMX, or Linux does not let this process use it",
)
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last], ids=str)
@pytest.mark.parametrize(
    ("channels", "form"),
    [(16, {"padding": 1}), (16, {"stride": 2}), (3, {"stride": (3, 1)}), (1, {"dilation": 2})],
    ids=str,
)
def test_matrices_add_up_bfloat16(channels, form, layout, compiled, tmp_path):
    x, w, b = (each.bfloat16() for each in tensors((2, channels, 32, (20, 20))))
    x, w = (each.to(memory_format=layout) for each in (x, w))
    before = myjit.stats()["safer_flags"]
    compiled(lambda x, w, b: F.conv2d(x, w, b, **form), dump=str(tmp_path), cache=False)(x, w, b)
    (after,) = tmp_path.glob("*/*-tiles.mlir")
    assert "tdpbf16ps" in after.read_text()
    assert myjit.stats()["safer_flags"] == before


def test_other_dimensions(each_equals_eager):
    functions = {
        "1-D": lambda a, b, c, v: F.conv1d(a, v, padding=1, stride=2).relu(),
        "1-D dilated": lambda a, b, c, v: F.conv1d(a, v, dilation=3),
        "3-D": lambda a, b, c, v: F.conv3d(c, b, padding=(0, 1, 1), stride=(1, 2, 1)).relu(),
    }
    inputs = (
        torch.randn(2, 20, 41),
        torch.randn(9, 4, 2, 3, 3) / 8,
        torch.randn(2, 4, 5, 9, 8),
        torch.randn(24, 20, 3) / 8,
    )
    each_equals_eager(functions, *inputs, atol=1e-4, rtol=1e-4)
    each_equals_eager(functions, *(each.bfloat16() for each in inputs), atol=3e-2, rtol=3e-2)


def test_gradients(compiled):
    model = nn.Sequential(
        nn.Conv2d(8, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.Conv2d(24, 20, 3, stride=2)
    )
    x = torch.randn(2, 8, 13, 12, requires_grad=True)
    wanted = [x, *model[1].parameters(), model[0].weight, *model[3].parameters()]
    expected = torch.autograd.grad(model(x).square().sum(), wanted)
    run = torch.compile(model, backend="myjit_mlir")
    for found, right in zip(torch.autograd.grad(run(x).square().sum(), wanted), expected, strict=True):
        assert (found - right).norm() <= 1e-4 * right.norm()


def test_convolutions_of_few_places_stay_with_iree(compiled):
    def function(x, w, b):
        return F.conv1d(x, w, b).transpose(1, 2)

    given = torch.randn(1, 8, 5), torch.randn(24, 8, 2), torch.randn(24)
    before = myjit.stats()["safer_flags"]
    actual = compiled(function, cache=False)(*given)
    torch.testing.assert_close(actual, function(*given), atol=1e-4, rtol=1e-4)
    assert myjit.stats()["safer_flags"] == before


def test_what_panels_cannot_follow_is_compiled_by_products(compiled):
    def function(x, w, b):
        return F.conv2d(x, w, b, padding=1)[..., None] * b[:3]

    before = myjit.stats()["safer_flags"]
    tensors_given = tensors((1, 8, 20, (9, 9)))
    actual = compiled(function, cache=False)(*tensors_given)
    torch.testing.assert_close(actual, function(*tensors_given), atol=1e-4, rtol=1e-4)
    assert myjit.stats()["safer_flags"] == before + ("avx2" in own_features())


@pytest.mark.skipif("avx2" not in own_features(), reason="no vectors that panels are written for")
def test_no_windows_are_copied(compiled, tmp_path):
    model = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()).eval()
    with torch.no_grad():
        compiled(model, dump=str(tmp_path))(torch.randn(1, 16, 28, 28))
    (after,) = tmp_path.glob("*/*-tiles.mlir")
    text = after.read_text()
    assert "vector.fma" in text
    assert text.count("hal.executable private") == 3  # the padded image, a number a channel, the rest
