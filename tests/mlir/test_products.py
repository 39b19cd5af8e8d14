"""Reading operations of linalg as matrix products."""

from __future__ import annotations

from myjit.mlir.context import new_iree_context, parse
from myjit.mlir.loops import Loops
from myjit.mlir.operations import operations
from myjit.mlir.products import product

TEXT = """
#q = affine_map<(b, h, m, n, k) -> (b, m, h, k)>
#k = affine_map<(b, h, m, n, k) -> (b, n, h, k)>
#s = affine_map<(b, h, m, n, k) -> (b, h, m, n)>
#o = affine_map<(b, m, n, k) -> (m, k)>
#p = affine_map<(b, m, n, k) -> (b, k, n)>
#r = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%one: tensor<5x4xf32>, %each: tensor<2x4x3xf32>, %all: tensor<2x5x3xf32>,
    %a: tensor<8x16xbf16>, %b: tensor<16x32xbf16>, %c: tensor<8x32xf32>, %x: tensor<?x2x3x4xf32>,
    %y: tensor<?x5x3x4xf32>, %z: tensor<?x3x2x5xf32>,
    %u: tensor<?x16xf32>, %w: tensor<16x32xf32>, %v: tensor<?x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<8x32xf32>) -> tensor<8x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x32xbf16>) outs(%f : tensor<8x32xf32>)
    -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#q, #k, #s],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %y : tensor<?x2x3x4xf32>, tensor<?x5x3x4xf32>) outs(%z : tensor<?x3x2x5xf32>) {
  ^bb0(%p: f32, %r: f32, %t: f32):
    %2 = arith.mulf %p, %r : f32
    %3 = arith.addf %t, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x3x2x5xf32>
  %5 = linalg.generic {indexing_maps = [#o, #p, #r],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%one, %each : tensor<5x4xf32>, tensor<2x4x3xf32>) outs(%all : tensor<2x5x3xf32>) {
  ^bb0(%p: f32, %r: f32, %t: f32):
    %2 = arith.mulf %p, %r : f32
    %3 = arith.addf %t, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x5x3xf32>
  %4 = linalg.matmul ins(%u, %w : tensor<?x16xf32>, tensor<16x32xf32>) outs(%v : tensor<?x32xf32>)
    -> tensor<?x32xf32>
  return
}"""


def test_sizes_and_steps():
    module = parse(TEXT, new_iree_context())
    with module.context:
        kinds = ("linalg.fill", "linalg.matmul", "linalg.generic")
        found = [product(op) for op in operations(module.operation) if op.name in kinds]
        _, plain, heads, one_side, unknown = found
        assert one_side is not None
        assert (one_side.batch, one_side.row, one_side.column) == ((0,), 1, 2)
        assert [one_side.inside(tensor).get(0) for tensor in range(3)] == [None, (3, 2), (1, 2)]
        assert one_side.count((3, 2)) == 12
        assert found[0] is None  # it fills
        assert unknown is not None
        assert (unknown.rows, unknown.columns, unknown.is_static()) == (-1, 32, False)
        assert plain is not None
        assert (plain.element, plain.rows, plain.columns, plain.depths, plain.batch) == (
            "bf16",
            8,
            32,
            16,
            (),
        )
        within = [plain.inside(tensor) for tensor in range(3)]
        assert within == [{0: (2,), 2: ()}, {2: (1,), 1: ()}, {0: (1,), 1: ()}]
        assert plain.is_single(()) and not plain.is_single((2,))
        assert plain.is_static()
        assert Loops(plain.operation).starts_from_zero()
        assert heads is not None
        assert (heads.element, heads.rows, heads.columns, heads.depths, heads.batch) == (
            "f32",
            2,
            5,
            4,
            (0, 1),
        )
        assert heads.inside(0) == {0: (2, 1, 4), 2: (1, 4), 1: (4,), 4: ()}
        assert not heads.is_static()
        assert not Loops(heads.operation).starts_from_zero()
