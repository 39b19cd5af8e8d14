"""Reading matrix products and convolutions as rows by columns."""

from __future__ import annotations

from myjit.mlir.context import new_iree_context, parse
from myjit.mlir.operations import operations
from myjit.mlir.sums_of_products import sums

BODY = """{
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  }"""
LOOPS = (
    'iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]'
)
TEXT = f"""
#x = affine_map<(n, f, y, x, c, i, j) -> (n, c, y * 2 + i, x + j * 3)>
#w = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#last = affine_map<(n, f, y, x, c, i, j) -> (i, j, c, f)>
#o = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>
func.func @f(%x: tensor<2x8x13x14xf32>, %w: tensor<20x8x3x3xf32>, %t: tensor<3x3x8x20xf32>,
    %o: tensor<2x20x6x8xf32>, %a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>) {{
  %0 = linalg.generic {{indexing_maps = [#x, #w, #o], {LOOPS}}}
    ins(%x, %w : tensor<2x8x13x14xf32>, tensor<20x8x3x3xf32>) outs(%o : tensor<2x20x6x8xf32>) {BODY}
    -> tensor<2x20x6x8xf32>
  %1 = linalg.generic {{indexing_maps = [#last, #x, #o], {LOOPS}}}
    ins(%t, %x : tensor<3x3x8x20xf32>, tensor<2x8x13x14xf32>) outs(%o : tensor<2x20x6x8xf32>) {BODY}
    -> tensor<2x20x6x8xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>)
    -> tensor<4x6xf32>
  return
}}"""


def test_products_and_convolutions():
    module = parse(TEXT, new_iree_context())
    with module.context:
        ops = [op for op in operations(module.operation) if op.name in ("linalg.generic", "linalg.matmul")]
        first, last, product = ops

        found = sums(first, 1)
        assert found is not None
        assert (found.left, found.right, found.is_turned) == (0, 1, True)
        assert (found.batch, found.rows, found.depth) == ((0,), (2, 3), (4, 5, 6))
        assert found.strides[0] == {0: 8 * 13 * 14, 4: 13 * 14, 2: 28, 5: 14, 3: 1, 6: 3}
        assert (found.columns, found.count(found.rows), found.count(found.depth)) == (20, 48, 72)

        found = sums(first, 3)  # a window's numbers do not lie one after the other
        assert found is not None
        assert (found.left, found.right, found.rows, found.depth) == (1, 0, (1,), (4, 5, 6))
        assert (found.batch, found.lines, found.windows.period) == ((0,), (2,), 18)
        assert (found.goes_on(found.left), found.goes_on(found.right)) == (True, False)

        found = sums(last, 1)
        assert found is not None
        assert (found.left, found.right, found.is_turned) == (1, 0, False)
        assert found.depth == (5, 6, 4)

        for column in (0, 1):
            found = sums(product, column)
            assert found is not None
            assert (found.rows, found.depth, found.right) == ((1 - column,), (2,), column)
            assert found.is_turned is (column == 0)
