"""Reading the loops of linalg operations."""

from __future__ import annotations

from myjit.mlir.context import new_iree_context, parse
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations

TEXT = """
func.func @f(%a: tensor<?x16xf32>, %b: tensor<16x8xf32>, %c: tensor<?x8xf32>) -> tensor<8x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x8xf32>) outs(%c : tensor<?x8xf32>)
    -> tensor<?x8xf32>
  %1 = tensor.empty() : tensor<8x?xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x8xf32>) outs(%1 : tensor<8x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8x?xf32>
  return %2 : tensor<8x?xf32>
}"""


def test_named_and_spelled_out_loops():
    text = TEXT.replace("tensor.empty()", "tensor.empty(%n)").replace("(%a:", "(%n: index, %a:")
    module = parse(text, new_iree_context())
    with module.context:
        product, transposed = (
            Loops(op) for op in operations(module.operation) if op.name in ("linalg.matmul", "linalg.generic")
        )
        assert product.iterators == ["parallel", "parallel", "reduction"]
        assert product.extents() == [-1, 8, 16]
        assert product.inner_loops() == [2, 1, 1]
        assert not product.is_elementwise()
        assert transposed.extents() == [8, -1]
        assert transposed.inner_loops() == [0, 1]
        assert not transposed.is_elementwise()
