// RUN: not myjit opt %s -p refuse-dynamic-extremes --level linalg 2>&1 | filecheck %s

// CHECK: extremes of integers come out wrong here where sizes change
func.func @dynamic(%x: tensor<4x?xi32>, %init: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d, r) -> (d, r)>, affine_map<(d, r) -> (d)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x?xi32>) outs(%init : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %t = arith.minsi %a, %b : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
