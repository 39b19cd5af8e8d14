// RUN: myjit opt %s -p separate-diagonals --level global | filecheck %s

#row = affine_map<(i) -> (i)>
#diagonal = affine_map<(i) -> (i, i)>

// CHECK-LABEL: @trace
// CHECK: %[[DIAGONAL:.+]] = linalg.generic
// CHECK: %[[READ:.+]] = iree_tensor_ext.compute_barrier.start %[[DIAGONAL]]
// CHECK: %[[TWICE:.+]] = linalg.generic {{.*}} ins(%[[READ]] : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[TWICE]] : tensor<8xf32>)
util.func public @trace(%x: tensor<8x8xf32>, %init: tensor<f32>) -> tensor<f32> {
  %out = tensor.empty() : tensor<8xf32>
  %diagonal = linalg.generic {indexing_maps = [#diagonal, #row], iterator_types = ["parallel"]} ins(%x : tensor<8x8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %twice = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%diagonal : tensor<8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#row, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%twice : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  util.return %sum : tensor<f32>
}

// Not reduced: nothing to do.
// CHECK-LABEL: @diagonal
// CHECK-NOT: compute_barrier
util.func public @diagonal(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %out = tensor.empty() : tensor<8xf32>
  %diagonal = linalg.generic {indexing_maps = [#diagonal, #row], iterator_types = ["parallel"]} ins(%x : tensor<8x8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  util.return %diagonal : tensor<8xf32>
}
