"""Compiled calls among torch's own work on a device: streams, memory, the current device, results."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import myjit
from myjit.runtime.accelerator import copied_out
from myjit.runtime.device import DEVICES
from myjit.targets.cuda import TARGET

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(bool(TARGET.unavailable_reason()), reason=f"cuda: {TARGET.unavailable_reason()}"),
]


def many(x):
    """Keep the device busy for milliseconds."""
    y = x
    for _ in range(40):
        y = (x @ y).sin()
    return y


def test_a_call_waits_for_the_work_before_it(compiled):
    run = compiled(lambda x: x * 2 + 1)
    start_value = torch.randn(2048, 2048, device="cuda")
    run(start_value)
    for _ in range(3):
        x = many(start_value)
        actual = run(x)  # the products are still under way
        torch.testing.assert_close(actual, x * 2 + 1)


def test_a_stream_of_the_users_own(compiled):
    run = compiled(lambda x: x * 2 + 1)
    begin = torch.randn(2048, 2048, device="cuda")
    run(begin)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        x = many(begin)
        actual = run(x)
        expected = x * 2 + 1
    stream.synchronize()
    torch.testing.assert_close(actual, expected)


def test_an_input_freed_right_after_the_call(compiled):
    run = compiled(lambda x: x.cos() + 1)
    for seed in range(20):
        generator = torch.Generator("cuda").manual_seed(seed)
        x = torch.randn(1 << 20, device="cuda", generator=generator)
        expected = x.cos() + 1
        actual = run(x)
        del x
        torch.full((1 << 20,), float("nan"), device="cuda")
        torch.testing.assert_close(actual, expected)


def test_calls_leak_no_device_memory(compiled):
    run = compiled(lambda x: torch.relu(x @ x) + 1)
    x = torch.randn(512, 512, device="cuda")
    for _ in range(50):
        run(x)
    gc.collect()
    torch.cuda.synchronize()
    lost = []
    for _ in range(3):  # others may take memory of the device meanwhile, though not each time
        allocated, free = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
        for _ in range(500):
            run(x)
        gc.collect()
        assert torch.cuda.memory_allocated() == allocated
        lost.append(free - torch.cuda.mem_get_info()[0])
    assert min(lost) < 64 << 20  # leaked, 500 results would be 500 MB


def test_no_memory_is_torchs_own_error_and_the_device_goes_on(compiled):
    run = compiled(lambda x: torch.cat([x, x + 1]), dynamic=True)
    free = torch.cuda.mem_get_info()[0]
    x = torch.empty(int(free * 0.6), dtype=torch.uint8, device="cuda")
    with pytest.raises(torch.OutOfMemoryError):
        run(x)
    del x
    torch.cuda.empty_cache()
    small = torch.ones(16, dtype=torch.uint8, device="cuda")
    torch.testing.assert_close(run(small), torch.cat([small, small + 1]))


def test_a_result_that_the_compiled_code_allocated():
    device = DEVICES.get("cuda://0")
    source = torch.randn(7, 5, device="cuda")
    view = device.handle.from_dlpack_capsule(torch.utils.dlpack.to_dlpack(source))
    torch.cuda.synchronize()
    got = copied_out(view, "float32", source.device, device)
    torch.testing.assert_close(got, source)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two CUDA devices")
def test_two_devices_in_one_process(compiled):
    run = compiled(lambda x: (x @ x).softmax(-1))
    for index in (1, 0, 1):
        x = torch.randn(64, 64, device=f"cuda:{index}")
        actual = run(x)
        assert actual.device == x.device
        assert torch.cuda.current_device() == 0
        torch.testing.assert_close(actual, (x @ x).softmax(-1), rtol=1e-3, atol=1e-4)
    assert myjit.stats()["ops_fallback"] == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_products_in_every_layout(compiled, dtype):
    def function(x, w, b, y, z):
        linear = torch.nn.functional.gelu(torch.nn.functional.linear(x, w, b))
        return linear, (x.T @ x).relu(), torch.bmm(y, z) + 1, torch.bmm(y, z.mT @ z), x[:1] @ w.T

    shapes = ((40, 24), (56, 24), (56,), (6, 40, 24), (6, 24, 24))
    given = [torch.randn(s, device="cuda").to(dtype) for s in shapes]
    actual = compiled(function)(*given)
    exact = function(*(t.double() for t in given))
    for ours, eager, right in zip(actual, function(*given), exact, strict=True):
        assert (ours - right).norm() <= 2 * (eager - right).norm() + 1e-6 * right.norm()


def test_calls_are_captured_in_a_graph(compiled):
    run = compiled(lambda x, w: torch.relu(x @ w) + 1)
    x, w = (torch.randn(64, 64, device="cuda") for _ in range(2))
    run(x, w)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = run(x, w)
    x.normal_()
    graph.replay()
    torch.testing.assert_close(y, torch.relu(x @ w) + 1)


def test_calls_from_another_thread(compiled):
    run = compiled(lambda x: torch.relu(x @ x) + 1)
    x = torch.randn(64, 64, device="cuda")
    expected = torch.relu(x @ x) + 1
    run(x)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: run(x), range(16)):
            torch.testing.assert_close(result, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_a_transformer_layer_by_default(monkeypatch, dtype):
    monkeypatch.delenv("MYJIT_PLACEMENT")
    torch.manual_seed(0)
    layers = [torch.nn.TransformerEncoderLayer(64, 4, 128, 0.0, batch_first=True) for _ in range(2)]
    layers[1].load_state_dict(layers[0].state_dict())
    model, ours = (layer.to("cuda", dtype) for layer in layers)
    run = torch.compile(ours, backend="myjit_mlir", options={"fallback": "error"})
    x = torch.randn(4, 32, 64, device="cuda", dtype=dtype)
    for _ in range(2):
        model(x).square().mean().backward()
        run(x).square().mean().backward()
    tolerance = 1e-4 if dtype == torch.float32 else 2e-2
    for one, other in zip(model.parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(other.grad, one.grad, atol=tolerance, rtol=tolerance)
