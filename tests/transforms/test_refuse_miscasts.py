"""Programs whose tensors would get a size that they do not have run in torch instead."""

from __future__ import annotations

import pytest
import torch

from myjit.errors import FallbackWarning, PassError
from myjit.mlir.context import new_context, parse
from myjit.pipelines import PIPELINES
from myjit.transforms.refuse_miscasts import RefuseMiscasts

CASTS = """
func.func @main(%x: tensor<6x{size}xf32>) -> tensor<6x1xf32> {{
  %0 = tensor.cast %x : tensor<6x{size}xf32> to tensor<?x?xf32>
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<6x1xf32>
  return %1 : tensor<6x1xf32>
}}
"""


@pytest.mark.parametrize("size", [0, 2, 3])
def test_other_sizes_are_refused(size):
    with pytest.raises(PassError, match=f"6x{size}xf32> is cast to tensor<6x1xf32"):
        RefuseMiscasts().run(parse(CASTS.format(size=size), new_context()))


@pytest.mark.parametrize("size", ["?", "1"])
def test_sizes_that_may_be_equal_pass(size):
    RefuseMiscasts().run(parse(CASTS.format(size=size), new_context()))


def test_what_torch_mlir_gets_wrong_runs_in_torch():
    """The gradient of a grouped weight, as torch-mlir's own table takes it apart."""
    pipeline = PIPELINES.get("cpu").with_option("decompositions.add", ())
    x, w = torch.randn(2, 4, 8, 8), torch.randn(4, 1, 3, 3, requires_grad=True)

    def function(x, w):
        return torch.nn.functional.conv2d(x, w, stride=2, padding=1, groups=4)

    run = torch.compile(function, backend="myjit_mlir", options={"pipeline": pipeline})
    with pytest.warns(FallbackWarning, match="is cast to"):
        actual = torch.autograd.grad(run(x, w).sum(), w)
    torch.testing.assert_close(actual, torch.autograd.grad(function(x, w).sum(), w))
