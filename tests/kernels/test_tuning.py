"""Every form of a kernel is right, and tuning takes the fastest and remembers it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch
import torch.nn.functional as F

from myjit.targets.cuda import TARGET

_REASON = TARGET.unavailable_reason() or ("" if find_spec("triton") else "Triton is not installed")
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(bool(_REASON), reason=f"cuda: {_REASON}")]


def tensors(*shapes):
    return [torch.randn(s, device="cuda", dtype=torch.float16) for s in shapes]


FUNCTIONS = {
    "attention": (F.scaled_dot_product_attention, [(2, 3, 150, 40)] * 3),
    "causal": (lambda *qkv: F.scaled_dot_product_attention(*qkv, is_causal=True), [(1, 2, 200, 64)] * 3),
    "masked": (
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m),
        [*[(2, 2, 70, 32)] * 3, (2, 1, 70, 70)],
    ),
    "softmax": (lambda x: x.softmax(-1), [(37, 300)]),
    "norm": (lambda x, w, b: F.layer_norm(x, (300,), w, b), [(37, 300), (300,), (300,)]),
    "depthwise": (
        lambda x, w: F.conv2d(x, w, padding=1, stride=2, groups=70).relu(),
        [(2, 70, 15, 17), (70, 1, 3, 3)],
    ),
}


@pytest.fixture
def numbers_of_plans(monkeypatch):
    """Collect how many plans there are of the kernels that are loaded."""
    from myjit.kernels.base import KERNELS
    from myjit.targets import _cuda_kernels

    load, counts, chosen = _cuda_kernels.loaded_kernel, [], [0]

    def loaded_kernel(name, numbers, index, _):
        counts.append(len(KERNELS.get(name).plans(dict(numbers))))
        return load(name, numbers, index, chosen[0])

    monkeypatch.setattr(_cuda_kernels, "loaded_kernel", loaded_kernel)
    return counts, chosen


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_plan_is_right(compiled, numbers_of_plans, name):
    counts, chosen = numbers_of_plans
    function, shapes = FUNCTIONS[name]
    args = tensors(*shapes)
    for number in range(9):
        if counts and number >= counts[0]:
            break
        chosen[0] = number
        torch.compiler.reset()
        with torch.no_grad():
            actual = compiled(function, target="cuda", placement="compiled")(*args)
        torch.testing.assert_close(actual, function(*args), rtol=4e-3, atol=4e-3)
    assert counts[0] > 1


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_was_measured_is_remembered(compiled, monkeypatch, tmp_path, name):
    from myjit.targets import _cuda_tuning

    function, shapes = FUNCTIONS[name]
    args, times, measure = tensors(*shapes), [], _cuda_tuning._time
    monkeypatch.setattr(_cuda_tuning, "_time", lambda *given: times.append(1) or measure(*given))
    counts = []
    for _ in range(2):
        torch.compiler.reset()
        options = {"placement": "compiled", "autotune": True, "cache": True, "cache_dir": str(tmp_path)}
        with torch.no_grad():
            actual = compiled(function, target="cuda", **options)(*args)
        torch.testing.assert_close(actual, function(*args), rtol=4e-3, atol=4e-3)
        counts.append(len(times))
    assert counts[0] >= 5 * 2
    assert counts[1] == counts[0]
