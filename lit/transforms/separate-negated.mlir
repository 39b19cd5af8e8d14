// RUN: myjit opt --level iree --passes separate-negated --split-input-file %s | filecheck %s

#same = affine_map<(i, j) -> (i, j)>
#across = affine_map<(i, j) -> (j, i)>

// The rotation of two halves is what IREE takes it for.
// CHECK: @rotated
// CHECK-NOT: compute_barrier
func.func @rotated(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x6xf32>
  %a = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1] : tensor<?x6xf32> to tensor<?x3xf32>
  %b = tensor.extract_slice %x[0, 3] [%n, 3] [1, 1] : tensor<?x6xf32> to tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %m = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.negf %in : f32
    linalg.yield %r : f32
  } -> tensor<?x3xf32>
  %0 = tensor.concat dim(1) %m, %a : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// -----

#same = affine_map<(i, j) -> (i, j)>

// CHECK: @in_order
// CHECK: %[[NEGATED:.*]] = linalg.generic
// CHECK: %[[APART:.*]] = iree_tensor_ext.compute_barrier.start %[[NEGATED]]
// CHECK: tensor.concat dim(1) %[[APART]], %
func.func @in_order(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a = tensor.extract_slice %x[0, 0] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %b = tensor.extract_slice %x[0, 3] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %m = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.negf %in : f32
    linalg.yield %r : f32
  } -> tensor<4x3xf32>
  %0 = tensor.concat dim(1) %m, %b : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

#same = affine_map<(i, j) -> (i, j)>
#across = affine_map<(i, j) -> (j, i)>

// Slices that are written: only where loops negate in another order.
// CHECK: @written
// CHECK: %[[NEGATED:.*]] = linalg.generic
// CHECK: %[[APART:.*]] = iree_tensor_ext.compute_barrier.start %[[NEGATED]]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[APART]] into
// CHECK-NOT: compute_barrier
// CHECK: tensor.insert_slice %{{.*}} into %[[FIRST]]
func.func @written(%x: tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x3xf32>) {
  %a = tensor.extract_slice %x[0, 0] [3, 3] [1, 1] : tensor<3x6xf32> to tensor<3x3xf32>
  %b = tensor.extract_slice %x[0, 3] [3, 3] [1, 1] : tensor<3x6xf32> to tensor<3x3xf32>
  %e = tensor.empty() : tensor<3x3xf32>
  %m = linalg.generic {indexing_maps = [#across, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<3x3xf32>) outs(%e : tensor<3x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.negf %in : f32
    linalg.yield %r : f32
  } -> tensor<3x3xf32>
  %whole = tensor.empty() : tensor<3x6xf32>
  %0 = tensor.insert_slice %m into %whole[0, 0] [3, 3] [1, 1] : tensor<3x3xf32> into tensor<3x6xf32>
  %1 = tensor.insert_slice %a into %0[0, 3] [3, 3] [1, 1] : tensor<3x3xf32> into tensor<3x6xf32>
  return %1, %m : tensor<3x6xf32>, tensor<3x3xf32>
}
