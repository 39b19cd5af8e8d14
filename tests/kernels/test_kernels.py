"""Attention, norms, softmax and convolutions on a GPU: as near to float64 as eager is."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch
import torch.nn.functional as F

import myjit
from myjit.targets.cuda import TARGET

_REASON = TARGET.unavailable_reason() or ("" if find_spec("triton") else "Triton is not installed")
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(bool(_REASON), reason=f"cuda: {_REASON}")]

SLACK = {torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
every_type = pytest.mark.parametrize("dtype", list(SLACK), ids=str)


@pytest.fixture
def launched(monkeypatch):
    """Collect the names of the kernels that are loaded."""
    from myjit.targets import _cuda_kernels

    names = []
    load = _cuda_kernels.loaded_kernel
    monkeypatch.setattr(
        _cuda_kernels, "loaded_kernel", lambda name, *rest: names.append(name) or load(name, *rest)
    )
    return names


def check(compiled, function, *args, **options):
    """Compare with float64, allowing twice eager's error; and NaN with NaN."""
    exact = function(*(a.double() if a.is_floating_point() else a for a in args))
    with torch.no_grad():
        eager, run = function(*args), compiled(function, target="cuda", **options)
        for _ in range(3):  # sent singly, captured, replayed
            actual = run(*args)
    assert torch.equal(actual.isnan(), eager.isnan())

    def error(x):
        return (x.double() - exact).nan_to_num(0, 0, 0).abs().max().item()

    size = exact.nan_to_num(0, 0, 0).abs().max().item()
    assert error(actual) <= 2 * error(eager) + SLACK[args[0].dtype] * size


def tensors(dtype, *shapes):
    return [torch.randn(s, device="cuda", dtype=dtype) for s in shapes]


@every_type
@pytest.mark.parametrize("sizes", [(2, 4, 33, 70, 16), (1, 3, 130, 257, 40), (2, 2, 1, 300, 64)], ids=str)
def test_attention(compiled, launched, dtype, sizes):
    batch, heads, rows, keys, depth = sizes
    shapes = [(batch, heads, n, depth) for n in (rows, keys, keys)]
    check(compiled, F.scaled_dot_product_attention, *tensors(dtype, *shapes))
    assert launched == ["attention"]


def test_one_kernel_for_two_shapes_of_a_part(compiled, launched):
    def function(x):
        return x.softmax(-1) + x.view(8, 4, 64).exp().softmax(-1).view(32, 64)

    check(compiled, function, *tensors(torch.float32, (32, 64)))
    assert launched == ["softmax", "softmax"]


@every_type
def test_causal_attention(compiled, launched, dtype):
    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    check(compiled, function, *tensors(dtype, *[(2, 3, 200, 32)] * 3))
    assert launched == ["attention"]


@every_type
@pytest.mark.parametrize("kind", ["booleans", "one row", "numbers", "least numbers", "infinite"])
def test_masked_attention(compiled, launched, dtype, kind):
    seen = torch.rand(2, 1, 64, 96, device="cuda") > 0.5
    mask = {
        "booleans": seen,
        "one row": seen[:, :, :1],
        "numbers": torch.randn(4, 64, 96, device="cuda", dtype=dtype),
        "least numbers": torch.zeros(2, 1, 64, 96, device="cuda", dtype=dtype).masked_fill(
            ~seen, torch.finfo(dtype).min
        ),
        "infinite": torch.zeros(2, 1, 64, 96, device="cuda", dtype=dtype).masked_fill(~seen, -torch.inf),
    }[kind]

    def function(q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    check(compiled, function, *tensors(dtype, (2, 4, 64, 32), *[(2, 4, 96, 32)] * 2), mask)
    assert launched == ["attention"]


def test_a_row_that_sees_nothing_gives_zeros(compiled):
    seen = torch.ones(1, 1, 40, 40, dtype=torch.bool, device="cuda")
    seen[:, :, 7] = False
    run = compiled(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), target="cuda")
    with torch.no_grad():
        result = run(*tensors(torch.float16, *[(1, 2, 40, 16)] * 3), seen)
    assert not result[:, :, 7].any()
    assert result.isfinite().all()


@every_type
def test_attention_with_shared_heads(compiled, launched, dtype):
    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    check(compiled, function, *tensors(dtype, (2, 4, 33, 16), *[(2, 2, 50, 16)] * 2))
    assert launched == ["attention"]


@every_type
def test_attention_reads_views_where_they_lie(compiled, launched, dtype):
    def function(packed):
        parts = packed.view(2, 50, 3, 4, 16).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(*parts).transpose(1, 2).reshape(2, 50, 64)

    check(compiled, function, *tensors(dtype, (2, 50, 192)))
    assert launched == ["attention"]


@every_type
@pytest.mark.parametrize("shape", [(8, 1000), (3, 5, 7), (512, 1024), (2, 16384)], ids=str)
def test_rows(compiled, launched, dtype, shape):
    x, w, b = tensors(dtype, shape, shape[-1:], shape[-1:])
    x[0, 0] = -torch.inf
    check(compiled, lambda x: x.softmax(-1), x)
    x, *_ = tensors(dtype, shape)
    check(compiled, lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b), x, w, b)
    check(compiled, lambda x, w: F.rms_norm(x, x.shape[-1:], w, 1e-6), x, w)
    assert launched == ["softmax", "norm", "norm"]


CONVOLUTIONS = {
    "3×3": ((2, 32, 15, 17), (48, 32, 3, 3), {"padding": 1}),
    "one pixel": ((2, 64, 16, 16), (128, 64, 1, 1), {}),
    "one pixel, strided": ((2, 64, 16, 16), (128, 64, 1, 1), {"stride": 2}),
    "few channels": ((2, 3, 33, 33), (20, 3, 7, 7), {"stride": 2, "padding": 3}),
    "odd": ((1, 5, 9, 11), (7, 5, 2, 3), {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)}),
    "groups": ((2, 24, 12, 12), (16, 12, 3, 3), {"padding": 1, "groups": 2}),
    "groups of one channel": ((2, 12, 12, 12), (24, 1, 3, 3), {"padding": 1, "groups": 12}),
    "single channels": ((2, 40, 15, 17), (40, 1, 3, 3), {"padding": 1, "groups": 40}),
    "single channels, strided": (
        (2, 130, 15, 17),
        (130, 1, 5, 2),
        {"padding": (2, 0), "stride": (2, 3), "dilation": (2, 1), "groups": 130},
    ),
}


@every_type
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(compiled, launched, monkeypatch, dtype, name):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    image, weight, options = CONVOLUTIONS[name]

    def function(x, w, b):
        return F.conv2d(x, w, b, **options).relu()

    x, w, b = tensors(dtype, image, weight, weight[:1])
    check(compiled, function, x, w, b)
    check(compiled, function, x.to(memory_format=torch.channels_last), w, b)
    assert launched == (["depthwise"] * 2 if name.startswith("single") else [])
    assert myjit.stats()["ops_fallback"] == 0


@every_type
def test_convolutions_of_images_in_a_row(compiled, monkeypatch, dtype):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)

    def function(x, w, v):
        x = F.max_pool2d(F.conv2d(x, w, padding=1).relu(), 3, 2, 1)
        return (F.conv2d(x, v, padding=1) + x).mean((2, 3))

    check(compiled, function, *tensors(dtype, (2, 16, 14, 14), (32, 16, 3, 3), (32, 32, 3, 3)))
    assert myjit.stats()["ops_fallback"] == 0


def test_tf32_is_what_torch_says(compiled, monkeypatch):
    x, w = tensors(torch.float32, (2, 64, 14, 14), (64, 64, 3, 3))
    exact = F.conv2d(x.double(), w.double()).relu()
    errors = []
    for allowed in (False, True):
        monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", allowed)
        torch.compiler.reset()
        with torch.no_grad():
            result = compiled(lambda x, w: F.conv2d(x, w).relu(), target="cuda")(x, w)
        errors.append((result - exact).abs().max().item())
    assert errors[0] < 1e-4 < errors[1] < 0.2


@pytest.mark.filterwarnings("ignore::myjit.errors.FallbackWarning")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_convolutions_that_cudnn_is_not_called_for_run_in_torch(compiled, dtype):
    x, w = tensors(dtype, (2, 8, 30), (8, 4, 3))
    with torch.no_grad():
        run = compiled(lambda x, w: F.conv1d(x, w, groups=2).relu(), target="cuda", fallback="eager")
        torch.testing.assert_close(run(x, w), F.conv1d(x, w, groups=2).relu())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_transposed_convolutions_and_those_of_lines_are_calls(compiled, dtype):
    x, w = tensors(dtype, (2, 8, 30), (8, 8, 4))
    for function in (F.conv_transpose1d, F.conv1d):
        with torch.no_grad():
            run = compiled(lambda x, w, f=function: f(x, w, stride=2, padding=1).relu(), target="cuda")
            expected = function(x, w, stride=2, padding=1).relu()
            torch.testing.assert_close(run(x, w), expected, rtol=1e-2, atol=1e-2)


def test_sizes_known_only_at_the_call_run_without_kernels(compiled, launched):
    run = compiled(lambda x: x.softmax(-1), target="cuda", dynamic=True)
    for rows in (5, 17):
        x = torch.randn(rows, 33, device="cuda")
        torch.testing.assert_close(run(x), x.softmax(-1))
    assert launched == []


def test_replays_see_new_numbers_streams_and_weights(compiled):
    layers = [torch.nn.Linear(64, 64) for _ in range(4)]
    model = torch.nn.Sequential(*layers, torch.nn.LayerNorm(64), torch.nn.Softmax(-1)).cuda()
    run, x = compiled(model, target="cuda"), torch.randn(32, 64, device="cuda")
    side = torch.cuda.Stream()
    with torch.no_grad():
        for step in range(12):
            x.normal_()
            if step == 6:
                layers[0].weight.mul_(2)
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side if step % 3 == 2 else torch.cuda.current_stream()):
                actual = run(x)
            torch.cuda.synchronize()
            torch.testing.assert_close(actual, model(x), rtol=1e-3, atol=1e-4)


def test_replays_inside_of_a_graph_of_torchs(compiled):
    layers = [torch.nn.Linear(64, 64) for _ in range(4)]
    model, x = torch.nn.Sequential(*layers).cuda(), torch.randn(32, 64, device="cuda")
    run, stream = compiled(model, target="cuda"), torch.cuda.Stream()
    with torch.no_grad():
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(4):
                run(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            result = run(x)
        x.normal_()
        graph.replay()
        torch.cuda.synchronize()
        torch.testing.assert_close(result, model(x), rtol=1e-3, atol=1e-4)
