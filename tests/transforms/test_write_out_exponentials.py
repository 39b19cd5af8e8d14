"""Every digit of exponentials and the error function, where they end and where there is no number."""

from __future__ import annotations

import pytest
import torch

from myjit.pipelines.cpu import PIPELINE

FUNCTIONS = {"exp": torch.exp, "expm1": torch.expm1, "erf": torch.erf}
#: What is not a number, with bits that say more.
PAYLOADS = torch.tensor([0x7F800001, 0x7FC00001, -1, 0x7FFFFFFF], dtype=torch.int32).view(torch.float32)
LEAST, LARGEST = torch.finfo(torch.float32).tiny, torch.finfo(torch.float32).max


def everywhere() -> torch.Tensor:
    """All sizes of both signs, densely where the functions bend."""
    bits = torch.arange(0, 2**31, 7919, dtype=torch.int64)
    sizes = bits.to(torch.int32).view(torch.float32)
    return torch.cat([sizes, -sizes, torch.linspace(-100, 100, 200_001), torch.linspace(-5, 5, 200_001)])


@pytest.fixture(params=[False, True], ids=["together", "apart"])
def pipeline(request):
    """The CPU's, with the exponential's ends where CUDA's has them too."""
    return PIPELINE.with_option("write-out-exponentials.apart", request.param)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(compiled, pipeline, name):
    x = everywhere()
    actual, exact = compiled(FUNCTIONS[name], pipeline=pipeline)(x), FUNCTIONS[name](x.double())
    normal = exact.abs().ge(LEAST) & exact.abs().le(LARGEST) & x.abs().ge(LEAST)
    relative = ((actual.double() - exact) / exact).abs()[normal]
    assert relative.max() < 2**-23
    small = exact.abs() < 2 * LEAST
    torch.testing.assert_close(actual[small], exact.float()[small], rtol=0, atol=2**-148)
    assert actual[exact > LARGEST].isposinf().all()
    assert torch.equal(actual.isnan(), exact.isnan())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_where_there_is_no_number(compiled, pipeline, name):
    x = torch.cat([torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-45, -1e-45]), PAYLOADS])
    actual, expected = compiled(FUNCTIONS[name], pipeline=pipeline)(x), FUNCTIONS[name](x)
    torch.testing.assert_close(actual, expected, equal_nan=True)
    assert torch.equal(actual[:2].signbit(), expected[:2].signbit())


@pytest.mark.parametrize("divided", [False, True])
def test_one_and_the_error_function(compiled, target, device, divided):
    def function(x):
        return 1 + (x / 1.5 if divided else x).erf()

    x = torch.cat([everywhere(), PAYLOADS]).to(device)
    actual, exact = compiled(function, target=target)(x), function(x.double())
    torch.testing.assert_close(actual.double(), exact, rtol=0, atol=4e-7, equal_nan=True)
    assert actual[x < -6].eq(0).all()


def test_gelu_is_as_near_as_eager(compiled, target, device):
    gelu, x = torch.nn.functional.gelu, torch.linspace(-8, 8, 1_000_003, device=device)
    exact = gelu(x.double())
    ours, theirs = ((f(x).double() - exact).abs().max() for f in (compiled(gelu, target=target), gelu))
    assert ours < 2 * theirs


# IREE refuses the error function of float64, which runs in torch.
@pytest.mark.parametrize(
    ("name", "dtype"), [("exp", torch.float64), ("exp", torch.int64), ("erf", torch.bool)]
)
def test_types(compiled, dtype, name):
    x = torch.arange(-3, 4).to(dtype)
    torch.testing.assert_close(compiled(FUNCTIONS[name])(x), FUNCTIONS[name](x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_every_number_of_a_half_type(compiled, dtype):
    x = torch.arange(2**16).to(torch.int16).view(dtype)
    for function in FUNCTIONS.values():
        actual, exact = compiled(function)(x), function(x.double()).to(dtype)
        torch.testing.assert_close(actual, exact, rtol=torch.finfo(dtype).eps, atol=2 * LEAST, equal_nan=True)
