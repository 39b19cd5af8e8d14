"""What has no lowering is named itself, not the constants that it takes."""

from __future__ import annotations

import pytest

from myjit.errors import PassError
from myjit.mlir.context import new_context, parse
from myjit.transforms.refuse_unlowered import RefuseUnlowered

LEFT_OVER = """
func.func @main(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %one = torch.constant.int 1
  %0 = torch.aten.cumsum %x, %one, %one : !torch.vtensor<[4],f32>, !torch.int, !torch.int -> !torch.vtensor<[4],f32>
  %1 = torch.operator "torch.my.op"(%0) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %1 : !torch.vtensor<[4],f32>
}
"""  # noqa: E501
LOWERED = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_every_culprit_is_named():
    with pytest.raises(PassError) as caught:
        RefuseUnlowered().run(parse(LEFT_OVER, new_context()))
    messages = [d.message for d in caught.value.diagnostics]
    assert messages == ["no lowering for torch.aten.cumsum", "no lowering for torch.my.op"]


def test_lowered_modules_pass():
    RefuseUnlowered().run(parse(LOWERED, new_context()))
