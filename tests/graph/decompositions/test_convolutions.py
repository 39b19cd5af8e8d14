"""Transposed convolutions of groups, and the gradients of convolutions, equal eager's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

FORMS = [
    {},
    {"stride": 2, "padding": 1},
    {"stride": (2, 1), "dilation": (1, 2), "padding": (1, 2)},
    {"padding": 3, "stride": 3},
]
TRANSPOSED_FORMS = [
    {"stride": 2},
    {"stride": 2, "padding": 1, "output_padding": 1},
    {"stride": (2, 1), "dilation": (1, 2)},
    {"stride": 3, "padding": 3, "output_padding": 2},
]
#: Kernels, and forms of transposed convolutions: one part for each step, parts of several, none that divides.
PARTS = [
    (2, {"stride": 2}),
    (4, {"stride": 2, "padding": 1}),
    (3, {"stride": 2, "padding": 1, "output_padding": 1}),
    (5, {"stride": (3, 2), "padding": 2, "output_padding": 1}),
    (1, {"stride": 3, "output_padding": 2}),
    (3, {"stride": (1, 2), "dilation": (2, 1)}),
    (3, {"stride": (1, 2), "dilation": 2, "padding": 3, "output_padding": (1, 0)}),
    (3, {"padding": 3}),
]
CHANNELS = [(4, 6, 1), (4, 6, 2), (3, 3, 3), (3, 6, 3)]


def equal_gradients(compiled, function, shapes, **options):
    inputs = [torch.randn(shape, requires_grad=True) for shape in shapes]
    copies = [t.detach().clone().requires_grad_() for t in inputs]
    expected, actual = function(*inputs), compiled(function, **options)(*copies)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)
    grad = torch.randn_like(expected)
    expected.backward(grad)
    actual.backward(grad)
    for one, other in zip(copies, inputs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("channels", CHANNELS, ids=str)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_gradients(compiled, form, channels):
    inputs, outputs, groups = channels
    equal_gradients(
        compiled,
        lambda x, w, b: F.conv2d(x, w, b, groups=groups, **form),
        [(2, inputs, 5, 6), (outputs, inputs // groups, 3, 3), (outputs,)],
    )


@pytest.mark.parametrize("channels", CHANNELS, ids=str)
@pytest.mark.parametrize("form", TRANSPOSED_FORMS, ids=str)
def test_gradients_of_transposed(compiled, form, channels):
    inputs, outputs, groups = channels
    equal_gradients(
        compiled,
        lambda x, w, b: F.conv_transpose2d(x, w, b, groups=groups, **form),
        [(2, inputs, 5, 6), (inputs, outputs // groups, 3, 3), (outputs,)],
    )


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("size", [(2, 7, 6), (1, 5, 7)], ids=["small weight", "large weight"])
def test_parts_of_transposed(size, groups, each_equals_eager):
    images, *extent = size
    x, b = torch.randn(images, 40 * groups, *extent), torch.randn(4 * groups)

    def convolve(kernel, form):
        w = torch.randn(40 * groups, 4, kernel, kernel)
        return lambda x, b: F.conv_transpose2d(x, w, b, groups=groups, **form)

    functions = {f"{kernel} {form}": convolve(kernel, form) for kernel, form in PARTS}
    each_equals_eager(functions, x, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kernel", [1, 3, (3, 1), 5], ids=str)
@pytest.mark.parametrize("inputs", [6, 100])
def test_uneven_parts_of_transposed(kernel, inputs, each_equals_eager):
    forms = [
        {"stride": 2, "padding": 1, "output_padding": 1},
        {"stride": (3, 2), "output_padding": (2, 0)},
        {"stride": (1, 2), "dilation": (2, 1), "padding": (0, 1)},
    ]
    size = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    weights = [torch.randn(inputs, 4, *size), torch.randn(inputs, 8, *size)]

    def convolve(form, w):
        groups = w.shape[1] // 4
        return lambda x, b: F.conv_transpose2d(x, w / 10, b[: 4 * groups**2], groups=groups, **form)

    functions = {f"{form} {w.shape[1]}": convolve(form, w) for form in forms for w in weights}
    each_equals_eager(functions, torch.randn(3, inputs, 9, 8), torch.randn(16), atol=2e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_parts_of_halves_are_as_near_as_eager(dtype, compiled):
    x, w = torch.randn(1, 128, 5, 7).to(dtype), (torch.randn(128, 16, 4, 4) / 32).to(dtype)

    def convolve(x, w):
        return F.conv_transpose2d(x, w, stride=2, padding=1)

    exact = convolve(x.double(), w.double())
    ours, theirs = ((f(x, w) - exact).norm().item() for f in (compiled(convolve), convolve))
    assert ours < 2 * theirs


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_lines_of_halves_are_products(dtype, compiled, tmp_path):
    x, w = torch.randn(1, 16, 40, dtype=dtype), torch.randn(24, 16, 3, dtype=dtype) / 8
    run = compiled(F.conv1d, dump=str(tmp_path))
    torch.testing.assert_close(run(x, w), F.conv1d(x, w))
    (after,) = tmp_path.glob("*/*-convolutions.mlir")
    assert "linalg.matmul" in after.read_text()
    assert "conv_1d" not in after.read_text()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("images", [1, 3])
def test_gradients_of_half_pixels_are_products(dtype, images, compiled, tmp_path):
    values = [torch.randn(images, 16, 5, 7).to(dtype), (torch.randn(24, 16, 1, 1) / 4).to(dtype)]

    def gradients(function, dtype):
        inputs = [value.to(dtype, copy=True).requires_grad_() for value in values]
        function(*inputs).square().sum().backward()
        return [each.grad.double() for each in inputs]

    exact, theirs = gradients(F.conv2d, torch.float64), gradients(F.conv2d, dtype)
    mine = gradients(compiled(F.conv2d, dump=str(tmp_path)), dtype)
    for ours, eager, right in zip(mine, theirs, exact, strict=True):
        assert (ours - right).norm() < 1.2 * (eager - right).norm()
    assert not any("linalg.conv" in file.read_text() for file in tmp_path.glob("*/*-convolutions.mlir"))


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("function", [F.conv1d, F.conv_transpose1d])
def test_gradients_of_one_dimension(compiled, function, groups):
    equal_gradients(
        compiled,
        lambda x, w: function(x, w, stride=2, padding=1, groups=groups),
        [(2, 4, 8), (4, 4 // groups, 3)],
    )


@pytest.mark.parametrize("size", [1, 2])
def test_gradients_of_small_images(compiled, size):
    """Whose kernels reach over their edges, as the last ones of a network do."""
    equal_gradients(
        compiled,
        lambda x, w: F.conv2d(x, w, stride=2, padding=1, groups=4),
        [(2, 4, size, size), (4, 1, 3, 3)],
    )


@pytest.mark.parametrize("function", [F.conv2d, F.conv_transpose2d])
def test_gradients_with_changing_sizes(compiled, function):
    for size in (6, 9):
        equal_gradients(
            compiled,
            lambda x, w: function(x, w, stride=2, padding=1, groups=2),
            [(2, 4, size, size + 1), (4, 2, 3, 3)],
            dynamic=True,
        )


def test_training_of_a_separable_convolution(compiled):
    """A gradient of the wrong shape was written over the memory of others."""
    torch.manual_seed(0)
    layers = [
        torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1),
            torch.nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=8),
            torch.nn.Conv2d(8, 4, 1),
        )
        for _ in range(2)
    ]
    layers[1].load_state_dict(layers[0].state_dict())
    results = []
    for model, run in ((layers[0], layers[0]), (layers[1], compiled(layers[1]))):
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for step in range(3):
            torch.manual_seed(step)
            optimizer.zero_grad()
            run(torch.randn(2, 3, 16, 16)).square().mean().backward()
            optimizer.step()
        results.append([p.detach() for p in model.parameters()])
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [1, 3])
def test_gradients_lie_as_their_weights(compiled, size):
    layer = torch.nn.Conv2d(6, 4, size, bias=False)
    (gradient,) = torch.autograd.grad(compiled(layer)(torch.randn(2, 6, 9, 9)).sum(), [layer.weight])
    assert gradient.stride() == layer.weight.stride()  # torch copies others


@pytest.mark.filterwarnings("error::myjit.errors.FallbackWarning")
def test_gradients_of_kernels_of_one_pixel_far_apart(compiled):
    layer = torch.nn.Conv2d(6, 4, 1, dilation=2)
    x = torch.randn(2, 6, 9, 9)
    expected = torch.autograd.grad(layer(x).square().sum(), layer.weight)
    actual = torch.autograd.grad(compiled(layer)(x).square().sum(), layer.weight)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)
