"""Programs that the compilers below are known to get wrong without a word."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

pytestmark = pytest.mark.every_variant


def right(run, function, *args, **tolerance):
    actual, expected = run(*args), function(*args)
    torch.testing.assert_close(actual, expected, equal_nan=True, **tolerance)


@pytest.mark.parametrize("function", [torch.exp, torch.log, torch.sqrt, torch.sigmoid, torch.sum])
def test_float64_is_not_demoted(compiled, function):
    x = torch.rand(64, dtype=torch.float64) + 0.5
    right(compiled(function), function, x, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("function", [torch.erf, torch.tanh, torch.sin, torch.atan, F.gelu])
def test_float64_functions_that_may_not_link(function):
    x = torch.randn(64, dtype=torch.float64)
    run = torch.compile(lambda x: function(x) * 2, backend="myjit_mlir")
    right(run, lambda x: function(x) * 2, x, rtol=1e-12, atol=1e-12)


def test_the_same_tensor_in_and_out_of_a_transpose(compiled):
    def function(x):
        x.copy_(x.t() + 1)

    ours, theirs = torch.arange(16.0).view(4, 4), torch.arange(16.0).view(4, 4)
    compiled(function)(ours)
    function(theirs)
    assert torch.equal(ours, theirs)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_whole_numbers_counted_in_fractions():
    def function(x):
        return torch.arange(0, 3.1, dtype=torch.int32) + x, torch.arange(0.5, 4, dtype=torch.int64) * 2

    right(torch.compile(function, backend="myjit_mlir"), function, torch.ones((), dtype=torch.int32))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.bool])
def test_small_integers_keep_their_sign(compiled, dtype):
    x = torch.tensor([0, 1, 127, -1], dtype=torch.int32).to(dtype)
    actual = compiled(lambda x: (x.clone(), x.to(torch.int32) + 1, x.float()))(x)
    for a, b in zip(actual, (x, x.to(torch.int32) + 1, x.float()), strict=True):
        assert a.dtype == b.dtype
        assert torch.equal(a, b)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_uint8_comparison_division_and_shift():
    def function(x, y):
        return x > y, x // 3, x >> 1, x.max(), torch.maximum(x, y), x.sum()

    x, y = (torch.tensor(v, dtype=torch.uint8) for v in ([0, 200, 255], [1, 100, 128]))
    right(torch.compile(function, backend="myjit_mlir"), function, x, y)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_isinf_and_isnan():
    x = torch.tensor([1.0, float("inf"), -float("inf"), float("nan"), 0.0])

    def function(x):
        return x.isinf(), x.isnan(), x.isfinite(), torch.nan_to_num(x), x.sign()

    right(torch.compile(function, backend="myjit_mlir"), function, x)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
def test_upsampling_by_a_factor_known_at_the_call(mode):
    def function(x, y):
        return F.interpolate(x, size=(y.shape[0], y.shape[1]), mode=mode) + 0

    run = torch.compile(function, backend="myjit_mlir", dynamic=True)
    for size, wanted in (((4, 5), (9, 7)), ((3, 6), (6, 12)), ((8, 8), (3, 5))):
        right(run, function, torch.randn(1, 2, *size), torch.empty(wanted), rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_arange_away_from_the_captured_size():
    def function(x):
        return torch.arange(x.shape[0], device=x.device) + x

    run = torch.compile(function, backend="myjit_mlir", dynamic=True)
    for n in (4, 9, 2):
        right(run, function, torch.randn(n))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("size", [3, (1, 5), 7])
def test_adaptive_pooling(size):
    def function(x):
        return F.adaptive_avg_pool2d(x, size), F.adaptive_max_pool2d(x, size)

    right(torch.compile(function, backend="myjit_mlir"), function, torch.randn(1, 2, 8, 9))


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_fp8_saturates_as_torch_does(dtype):
    def function(x):
        return (x.to(torch.float32) * 2).to(dtype)

    x = torch.tensor([448.0, 0.015625, 1.5, -448.0]).to(dtype)
    actual = torch.compile(function, backend="myjit_mlir")(x)
    assert actual.dtype == dtype
    assert torch.equal(actual.view(torch.uint8), function(x).view(torch.uint8))


def test_weights_changed_behind_torchs_back(compiled):
    linear = torch.nn.Linear(64, 64)
    run = compiled(linear)
    x = torch.randn(2, 64)
    with torch.no_grad():
        run(x)
        linear.weight.data.mul_(3)  # bumps no version counter and moves nothing
        right(run, linear, x, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: F.embedding(i, x),
        lambda x, i: x[i],
        lambda x, i: x.index_select(0, i),
        lambda x, i: x.gather(0, i[:, None].expand(-1, 4)),
    ],
    ids=["embedding", "index", "index_select", "gather"],
)
def test_an_index_out_of_range_raises(function):
    run = torch.compile(lambda x, i: function(x, i) * 2, backend="myjit_mlir")
    x, fine, beyond = torch.randn(5, 4), torch.tensor([0, 4, 2]), torch.tensor([0, 5, 1000000])
    right(run, lambda x, i: function(x, i) * 2, x, fine)
    with pytest.raises((IndexError, RuntimeError), match=r"out of|index"):
        run(x, beyond)
    right(run, lambda x, i: function(x, i) * 2, x, fine)


def test_negative_indices(compiled):
    x, i = torch.randn(5, 4), torch.tensor([-1, -5, 2])
    right(compiled(lambda x, i: x[i] * 2), lambda x, i: x[i] * 2, x, i)


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_lazy_conjugate_and_negative_views():
    x = torch.randn(4, dtype=torch.complex64)
    negative = x.conj().imag  # a view whose values are read negated
    assert negative.is_neg()
    right(torch.compile(lambda x: x * 2, backend="myjit_mlir"), lambda x: x * 2, negative)
    right(torch.compile(lambda x: x * 2, backend="myjit_mlir"), lambda x: x * 2, x.conj())


@pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter:UserWarning")
@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8, torch.int64])
def test_scatter_of_a_number_into_one_element(compiled, dtype):
    def function(x, i):
        scattered = x.scatter(0, i, 2.5, reduce="add"), x.scatter(0, i, 2.5, reduce="multiply")
        return *scattered, x[0].scatter(0, i[0], 2.5, reduce="add"), x.scatter_add(0, i, torch.ones_like(x))

    x, i = torch.full((1,), 3, dtype=dtype), torch.tensor([0])
    right(compiled(function), function, x, i)
    with pytest.raises((IndexError, RuntimeError), match=r"out of|index"):
        compiled(function)(x, i + 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.uint8, torch.int64])
def test_atan2_of_zeros_and_infinities(compiled, dtype):
    values = [0.0, -0.0, 1, -1, 3]
    if dtype.is_floating_point:
        values += [float("inf"), -float("inf"), float("nan")]
    x, y = torch.meshgrid(*[torch.tensor(values).to(dtype)] * 2, indexing="ij")
    actual, expected = compiled(lambda x, y: torch.atan2(x, y) * 2)(x, y), torch.atan2(x, y) * 2
    torch.testing.assert_close(actual, expected, equal_nan=True)
    assert torch.equal(actual.nan_to_num(0).signbit(), expected.nan_to_num(0).signbit())


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialiased_upsampling_of_bytes(mode):
    def function(x):
        return F.interpolate(x, size=(3, 9), mode=mode, antialias=True) + 1

    x = torch.randint(0, 256, (1, 3, 6, 7), dtype=torch.uint8)
    right(torch.compile(function, backend="myjit_mlir"), function, x)


def test_product_of_bfloat16(compiled):
    x = (torch.rand(4, 9) + 0.5).bfloat16()
    right(compiled(lambda x: (x.prod(), x.prod(1))), lambda x: (x.prod(), x.prod(1)), x)


@torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
def test_a_size_that_was_asserted_and_does_not_hold():
    def function(x: torch.Tensor) -> torch.Tensor:
        places = x.nonzero()
        torch._check(places.size(0) == 4)
        return places + 3

    run = torch.compile(function, backend="myjit_mlir")
    x = torch.tensor([0, 1, 3, 4, 2, 0, 0])
    torch.testing.assert_close(run(x), function(x))
    with pytest.raises(RuntimeError, match="assertion"):
        run(torch.tensor([0, 1, 3, 4, 2, 5, 0]))


@pytest.mark.parametrize("size", [(5, 6), (8, 10)])
def test_gradient_of_upsampling_by_a_fraction(size):
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.interpolate(x, size).square().sum()

    mine = torch.randn(2, 3, 4, 5, requires_grad=True)
    theirs = mine.detach().clone().requires_grad_()
    torch.compile(function, backend="myjit_mlir")(mine).backward()
    function(theirs).backward()
    torch.testing.assert_close(mine.grad, theirs.grad)
