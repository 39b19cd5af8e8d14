// RUN: myjit opt %s -p separate-unaligned --level global --split-input-file | filecheck %s

#same = affine_map<(i, j) -> (i, j)>

// CHECK: @within
// CHECK: %[[SLICE:.+]] = tensor.extract_slice
// CHECK: %[[APART:.+]] = iree_tensor_ext.compute_barrier.start %[[SLICE]]
// CHECK: linalg.generic {{.*}} ins(%[[APART]]
util.func public @within(%x: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %s = tensor.extract_slice %x[0, 1] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.exp %in : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  util.return %0 : tensor<8x8xf32>
}

// -----

#same = affine_map<(i, j) -> (i, j)>

// What begins where a vector begins, and rows that are no vectors, stay.
// CHECK: @others
// CHECK-NOT: compute_barrier
util.func public @others(%x: tensor<8x16xf32>, %y: tensor<7x15xf32>) -> (tensor<8x8xf32>, tensor<7x7xf32>) {
  %s = tensor.extract_slice %x[0, 4] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.exp %in : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %t = tensor.extract_slice %y[0, 1] [7, 7] [1, 1] : tensor<7x15xf32> to tensor<7x7xf32>
  %f = tensor.empty() : tensor<7x7xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<7x7xf32>) outs(%f : tensor<7x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.exp %in : f32
    linalg.yield %r : f32
  } -> tensor<7x7xf32>
  util.return %0, %1 : tensor<8x8xf32>, tensor<7x7xf32>
}

// -----

#same = affine_map<(i, j) -> (i, j)>

// CHECK: @padded
// CHECK: %[[MADE:.+]] = linalg.generic
// CHECK: %[[APART:.+]] = iree_tensor_ext.compute_barrier.start %[[MADE]]
// CHECK: tensor.pad %[[APART]]
util.func public @padded(%x: tensor<8x8xf32>) -> tensor<8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.exp %in : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %1 = tensor.pad %0 low[0, 1] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<8x12xf32>
  util.return %1 : tensor<8x12xf32>
}
