// RUN: myjit opt %s -p separate-shared --level global | filecheck %s

#whole = affine_map<(a, b) -> (a, b)>
#diagonal = affine_map<(a, b) -> (b, b)>

// A tensor that is returned, and whose diagonal is read: it is computed first.
// CHECK-LABEL: @returned
// CHECK: %[[SQUARE:[a-z0-9]+]] = linalg.generic
// CHECK: %[[APART:[a-z0-9]+]] = iree_tensor_ext.compute_barrier.start %[[SQUARE]]
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[APART]] :
util.func public @returned(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %empty = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%element: f32, %out: f32):
    %square = arith.mulf %element, %element : f32
    linalg.yield %square : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#whole, #diagonal, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%element: f32, %other: f32, %out: f32):
    %rest = arith.subf %element, %other : f32
    linalg.yield %rest : f32
  } -> tensor<4x4xf32>
  util.return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// What nobody else reads is computed where it is read; what comes from outside is there.
// CHECK-LABEL: @alone
// CHECK-NOT: compute_barrier
// CHECK: util.return
util.func public @alone(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %empty = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%element: f32, %out: f32):
    %square = arith.mulf %element, %element : f32
    linalg.yield %square : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#diagonal, #diagonal, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%element: f32, %other: f32, %out: f32):
    %rest = arith.subf %element, %other : f32
    linalg.yield %rest : f32
  } -> tensor<4x4xf32>
  util.return %x, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
