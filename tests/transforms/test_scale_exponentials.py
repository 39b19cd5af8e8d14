"""With AVX-512's own scaling exponentials have the digits and the ends that they have on other processors."""

from __future__ import annotations

import pytest
import torch

from myjit.machine import own_features
from myjit.pipelines.cpu import PIPELINE

needs_avx512 = pytest.mark.skipif("avx512f" not in own_features(), reason="the processor has no AVX-512")


def numbers() -> torch.Tensor:
    """Both signs of every size, densely where results end, in a whole number of registers."""
    bits = torch.arange(0, 2**31, 4001, dtype=torch.int64)
    sizes = bits.to(torch.int32).view(torch.float32)
    ends = [torch.linspace(-end - 1, -end + 1, 40_001) for end in (103.97, 87.33, -88.72)]
    x = torch.cat([sizes, -sizes, *ends, torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan])])
    return x[: len(x) // 128 * 128].flip(0)


FUNCTIONS = {
    "exp": torch.exp,
    "sigmoid": torch.sigmoid,  # of -x
    "softmax": lambda x: x.view(-1, 64).softmax(-1),  # two rows at a time
    "half type": lambda x: x.bfloat16().exp(),
}


@needs_avx512
@pytest.mark.parametrize("name", FUNCTIONS)
def test_same_as_without(compiled, name, tmp_path):
    x = numbers()
    scaled = compiled(FUNCTIONS[name], dump=str(tmp_path))(x)
    assert any("avx512.mask.scalef" in each.read_text() for each in tmp_path.rglob("*-numbers.mlir"))
    written_out = compiled(FUNCTIONS[name], pipeline=PIPELINE.without("scale-exponentials"))(x)
    torch.testing.assert_close(scaled, written_out, rtol=3e-7, atol=2**-149, equal_nan=True)


@needs_avx512
def test_digits(compiled):
    x = numbers()
    exact, actual = x.double().exp(), compiled(torch.exp)(x).double()
    ends = torch.finfo(torch.float32)
    normal = exact.ge(ends.tiny) & exact.le(ends.max)
    assert ((actual - exact) / exact).abs()[normal].max() < 2**-23
    assert (actual - exact).abs()[exact < ends.tiny].max() <= 2**-149
    assert actual[exact > 2.0**128].isposinf().all()
