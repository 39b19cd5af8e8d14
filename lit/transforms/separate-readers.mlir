// RUN: myjit opt %s -p separate-readers --level global --split-input-file | filecheck %s

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#both = affine_map<(i, j) -> (i, j)>

// Each sum meets each: the sums are computed before.
// CHECK-LABEL: @differences
// CHECK: %[[SUMS:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[READY:.+]] = iree_tensor_ext.compute_barrier.start %[[SUMS]]
// CHECK: %[[TWICE:.+]] = linalg.generic {{.*}} ins(%[[READY]] : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[TWICE]], %[[READY]] : tensor<8xf32>, tensor<8xf32>)
util.func public @differences(%x: tensor<8x4xf32>, %init: tensor<8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %sums = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %twice = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%sums : tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %all = linalg.generic {indexing_maps = [#row, #column, #both], iterator_types = ["parallel", "parallel"]} ins(%twice, %sums : tensor<8xf32>, tensor<8xf32>) outs(%out : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  util.return %all : tensor<8x8xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#both = affine_map<(i, j) -> (i, j)>

// Read in one order, by way of two operations, the sums may stay with what they are for.
// CHECK-LABEL: @centred
// CHECK-NOT: compute_barrier
util.func public @centred(%x: tensor<8x4xf32>, %init: tensor<8xf32>) -> tensor<8x4xf32> {
  %sums = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %less = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]} ins(%x, %sums : tensor<8x4xf32>, tensor<8xf32>) outs(%x : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]} ins(%less, %sums : tensor<8x4xf32>, tensor<8xf32>) outs(%x : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  util.return %scaled : tensor<8x4xf32>
}
