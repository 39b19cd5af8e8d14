"""Every digit of the hyperbolic functions, and no number where there is none."""

from __future__ import annotations

import torch

FUNCTIONS = {
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
}


def test_digits(compiled, subtests):
    scales = torch.tensor([1e-12, 1e-8, 1e-3, 1.0, 80.0, 1e4, 1e15, 1e30])
    x = torch.rand(8, 200).sub(0.5).mul(2 * scales[:, None])
    x = torch.cat([x.flatten(), 1 + torch.rand(200) * 1e-3])
    results = compiled(lambda x: {name: function(x) for name, function in FUNCTIONS.items()})(x)
    for name, function in FUNCTIONS.items():
        with subtests.test(name):
            exact = function(x.double())
            known = exact.isfinite() & (exact != 0) & (exact.abs() < torch.finfo(torch.float32).max)
            actual = results[name].double()
            relative = ((actual - exact).abs() / exact.abs())[known]
            assert relative.max() < 1e-6
            assert torch.equal(actual.isnan(), exact.isnan())


def test_where_there_is_no_number(each_equals_eager):
    x = torch.tensor([0.0, -0.0, 1.0, -1.0, torch.inf, -torch.inf, torch.nan, -9000.0])
    each_equals_eager(FUNCTIONS, x, equal_nan=True)


def test_types(each_equals_eager):
    dtypes = [torch.float16, torch.bfloat16, torch.int64]
    functions = {str(d): lambda xs, i=i: torch.asinh(xs[i]) for i, d in enumerate(dtypes)}
    each_equals_eager(functions, [torch.arange(-3, 4).to(d) for d in dtypes])


def test_cosines_that_a_half_type_holds(compiled):
    x = torch.tensor([11.1, -11.7, 12.0], dtype=torch.float16)
    torch.testing.assert_close(compiled(torch.cosh)(x), torch.cosh(x))
