"""Constants are read from either MLIR; what is no scalar constant is None."""

from __future__ import annotations

import pytest

from myjit.mlir.constants import constant_of
from myjit.mlir.context import new_context, new_iree_context, parse

SOURCE = """
func.func @f(%a: f32) {
  %0 = arith.constant 2.5 : f32
  %1 = arith.constant 3 : i64
  %2 = arith.constant dense<1.0> : tensor<2xf32>
  %3 = arith.addf %a, %0 : f32
  return
}"""


@pytest.mark.parametrize("make", [new_context, new_iree_context])
def test_scalars_are_read(make):
    module = parse(SOURCE, make())
    function = module.body.operations[0].operation
    values = [op.operation.results[0] for op in function.regions[0].blocks[0] if len(op.operation.results)]
    assert [constant_of(v) for v in values] == [2.5, 3, None, None]
    assert constant_of(function.regions[0].blocks[0].arguments[0]) is None
