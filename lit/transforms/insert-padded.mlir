// RUN: myjit opt --passes insert-padded --split-input-file %s | filecheck %s

// One place of padding in steps of two is two places further.
// CHECK: @known
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[FILLED:[a-z0-9]+]] = linalg.fill
// CHECK: tensor.insert_slice %[[X]] into %[[FILLED]][3] [4] [2] : tensor<4xf32> into tensor<16xf32>
func.func @known(%x: tensor<4xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<7xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %0 = tensor.insert_slice %p into %f[1] [7] [2] : tensor<7xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Numbers that are not known yet: the padding is written as a slice of its own.
// CHECK: @unknown
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[PADDED:[a-z0-9_]+]] = tensor.insert_slice %[[X]] into {{.*}}[1] [4] [1] : tensor<4xf32> into tensor<7xf32>
// CHECK: tensor.insert_slice %[[PADDED]] into {{.*}}[1] [7] [2]
func.func @unknown(%x: tensor<4xf32>, %zero: f32) -> tensor<16xf32> {
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<7xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %c = tensor.cast %p : tensor<7xf32> to tensor<7xf32>
  %0 = tensor.insert_slice %c into %f[1] [7] [2] : tensor<7xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Other numbers than what stands there are written. In steps of one MLIR is right.
// CHECK: @others
// CHECK-COUNT-2: tensor.pad
// CHECK: tensor.insert_slice {{.*}}[1] [7] [2] : tensor<7xf32>
// CHECK: tensor.insert_slice {{.*}}[1] [7] [1] : tensor<7xf32>
func.func @others(%x: tensor<4xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %one : f32
  } : tensor<4xf32> to tensor<7xf32>
  %q = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<7xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %0 = tensor.insert_slice %p into %f[1] [7] [2] : tensor<7xf32> into tensor<16xf32>
  %1 = tensor.insert_slice %q into %f[1] [7] [1] : tensor<7xf32> into tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// Beside another slice the place may be known later; over one the padding counts.
// CHECK: @beside
// CHECK: %[[PADDED:[a-z0-9_]+]] = tensor.insert_slice {{.*}}[1] [4] [1] : tensor<4xf32> into tensor<7xf32>
// CHECK: tensor.insert_slice %[[PADDED]] into {{.*}}[2] [7] [2]
// CHECK: tensor.insert_slice {{.*}} into {{.*}}[1] [7] [2] : tensor<7xf32>
func.func @beside(%x: tensor<4xf32>, %n: index) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<7xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %a = tensor.insert_slice %x into %f[%n] [4] [1] : tensor<4xf32> into tensor<16xf32>
  %0 = tensor.insert_slice %p into %a[2] [7] [2] : tensor<7xf32> into tensor<16xf32>
  %b = tensor.insert_slice %x into %f[2] [4] [1] : tensor<4xf32> into tensor<16xf32>
  %1 = tensor.insert_slice %p into %b[1] [7] [2] : tensor<7xf32> into tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
