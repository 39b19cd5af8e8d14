"""A Triton kernel of a program's own, called inside a compiled part."""

from __future__ import annotations

import pytest
import torch

import myjit
from myjit import user_kernels
from myjit.kernels.base import KERNELS
from myjit.targets.cuda import TARGET

triton = pytest.importorskip("triton", reason="Triton is not installed")
tl = pytest.importorskip("triton.language")
_REASON = TARGET.unavailable_reason()
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(bool(_REASON), reason=f"cuda: {_REASON}")]


@triton.jit
def scale_kernel(  # noqa: PLR0917 (Triton's function)
    x, scales, out, COLUMNS: tl.constexpr, WIDTH: tl.constexpr, FACTOR: tl.constexpr
):
    row, column = tl.program_id(0), tl.arange(0, WIDTH)
    at, inside = row * COLUMNS + column, column < COLUMNS
    tl.store(out + at, tl.load(x + at, mask=inside) * tl.load(scales + row) * FACTOR, mask=inside)


@torch.library.custom_op("myjit_tests::scale_rows", mutates_args=())
def scale_rows(x: torch.Tensor, scales: torch.Tensor, factor: float) -> torch.Tensor:
    return x * scales[:, None] * factor


@scale_rows.register_fake
def _(x, scales, factor):
    return torch.empty_like(x)


@pytest.fixture
def taken(monkeypatch):
    """Register the kernel for rows of up to 1000; collect what it is asked for."""
    monkeypatch.setattr(user_kernels, "_launchers", {})
    asked = []

    @myjit.kernel("myjit_tests.scale_rows", scale_kernel)
    def launch(x, scales, factor):
        asked.append(x.shape)
        if x.shape[1] > 1000:
            return None
        constants = {"COLUMNS": x.shape[1], "WIDTH": triton.next_power_of_2(x.shape[1]), "FACTOR": factor}
        return myjit.Launch((x.shape[0],), constants)

    yield asked
    KERNELS.forget("op_myjit_tests_scale_rows")


@pytest.mark.parametrize("columns", [100, 1001])
def test_an_op_inside_of_a_part(compiled, taken, columns):
    def function(x, scales):
        return torch.relu(scale_rows(x + 1, scales, -0.5) + 1) * 2

    x, scales = torch.randn(5, columns, device="cuda"), torch.randn(5, device="cuda")
    run = compiled(function, target="cuda")
    for _ in range(3):
        torch.testing.assert_close(run(x, scales), function(x, scales))
    assert taken
    assert myjit.stats()["partitions"] == (1 if columns == 100 else 2)
