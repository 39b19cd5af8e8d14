"""Compare compiled results with eager PyTorch's, for `verify=True` and for tests."""

from __future__ import annotations

from collections.abc import Sequence

import torch

#: Relative and absolute tolerance by data type: room for another order of summation, no more.
TOLERANCES = {
    torch.float64: (1e-7, 1e-7),
    torch.float32: (1e-3, 1e-4),
    torch.float16: (1e-2, 1e-2),
    torch.bfloat16: (3e-2, 3e-2),
}


def first_difference(actual: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> str:
    """Describe the first output that differs from eager's; empty when all agree.

    The absolute tolerance grows with the largest magnitude of the expected output, so that sums
    over many elements are not called wrong for their rounding.
    """
    for index, (got, want) in enumerate(zip(actual, expected, strict=True)):
        if got.dtype != want.dtype or got.shape != want.shape:
            return (
                f"output {index} is {got.dtype} {tuple(got.shape)}, "
                f"eager gives {want.dtype} {tuple(want.shape)}"
            )
        rtol, atol = TOLERANCES.get(want.dtype, (0.0, 0.0))
        finite = want[want.isfinite()] if want.is_floating_point() else want
        if want.is_floating_point() and finite.numel():
            atol *= max(1.0, float(finite.abs().max()))
        if not torch.allclose(got, want, rtol=rtol, atol=atol, equal_nan=True):
            worst = (got.double() - want.double()).abs().max().item()
            return f"output {index} ({want.dtype} {tuple(want.shape)}) differs by up to {worst:.3g}"
    return ""
