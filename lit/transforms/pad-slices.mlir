// RUN: myjit opt %s -p pad-slices --level iree | filecheck %s

// CHECK-LABEL: @static
// CHECK: tensor.pad %{{.*}} low[0, 1] high[0, 2]
// CHECK: tensor.yield %{{.*}} : f32
// CHECK-NOT: tensor.insert_slice
func.func @static(%a: tensor<4x5xf32>, %c: f32) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = tensor.insert_slice %a into %f[0, 1] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @dynamic
// CHECK-SAME: %[[A:.*]]: tensor<?x5xf32>, %{{.*}}: f32, %[[N:.*]]: index, %[[O:.*]]: index
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: %[[ALL:.*]] = tensor.dim %[[FILL]]
// CHECK: %[[REST:.*]] = arith.subi %[[ALL]], %[[O]]
// CHECK: %[[OWN:.*]] = tensor.dim %[[A]]
// CHECK: %[[HIGH:.*]] = arith.subi %[[REST]], %[[OWN]]
// CHECK: tensor.pad %[[A]] low[%[[O]], 0] high[%[[HIGH]], 0]
func.func @dynamic(%a: tensor<?x5xf32>, %c: f32, %n: index, %o: index) -> tensor<?x5xf32> {
  %zero = arith.constant 0 : index
  %m = tensor.dim %a, %zero : tensor<?x5xf32>
  %e = tensor.empty(%n) : tensor<?x5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %0 = tensor.insert_slice %a into %f[%o, 0] [%m, 5] [1, 1] : tensor<?x5xf32> into tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// Steps, tensors that are not constant, and slices of another rank are no padding.
// CHECK-LABEL: @others
// CHECK-COUNT-3: tensor.insert_slice
func.func @others(%a: tensor<4xf32>, %c: f32, %t: tensor<8xf32>, %m: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<2x4xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = tensor.insert_slice %a into %f[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %a into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %g = linalg.fill ins(%c : f32) outs(%m : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = tensor.insert_slice %a into %g[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<2x4xf32>
}
